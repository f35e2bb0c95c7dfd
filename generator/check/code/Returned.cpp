// SPDX-License-Identifier: Apache-2.0
//
// One walk over the statements.
#include "check/code/Returned.h"

#include "clang/AST/ExprCXX.h"

namespace graphgen::check {

static void collect(const clang::Stmt& S, std::vector<const clang::ReturnStmt*>& Found) {
  if (const auto* Return = llvm::dyn_cast<clang::ReturnStmt>(&S)) {
    Found.push_back(Return);
  } else if (!llvm::isa<clang::LambdaExpr>(S)) {
    for (const clang::Stmt* Each : S.children()) {
      if (Each) {
        collect(*Each, Found);
      }
    }
  }
}

std::vector<const clang::ReturnStmt*> returnsIn(const clang::Stmt& Body) {
  std::vector<const clang::ReturnStmt*> Found;
  collect(Body, Found);
  return Found;
}

}  // namespace graphgen::check
