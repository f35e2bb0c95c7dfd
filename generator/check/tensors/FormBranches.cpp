// SPDX-License-Identifier: Apache-2.0
//
// From a statement up to the body.
#include "check/tensors/FormBranches.h"

#include "check/code/DataReads.h"

#include "clang/AST/ParentMap.h"

namespace graphgen::check {

bool isUnderForm(const clang::Stmt& S, const clang::FunctionDecl& In) {
  const clang::ParentMap Parents(In.getBody());
  const clang::Stmt* Part = &S;
  while (const clang::Stmt* Whole = Parents.getParent(Part)) {
    const auto* If = llvm::dyn_cast<clang::IfStmt>(Whole);
    if (If && Part != If->getCond() && asksForFormOnly(*If->getCond())) {
      return true;
    }
    Part = Whole;
  }
  return false;
}

}  // namespace graphgen::check
