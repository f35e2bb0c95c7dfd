// SPDX-License-Identifier: Apache-2.0
//
// By the setters' names, in classes whose names end as those of options do.
#include "check/code/Options.h"

#include "check/code/KnownCalls.h"
#include "check/code/TensorCalls.h"

namespace graphgen::check {
namespace {

const clang::Expr* optionIn(const clang::Stmt& S, llvm::StringRef Option, bool FollowsNames) {
  const auto* Name = FollowsNames ? llvm::dyn_cast<clang::DeclRefExpr>(&S) : nullptr;
  const clang::Stmt& Said = Name ? originOf(*Name) : S;
  const KnownCall Call = knownCall(Said);
  if (Call && Call.Name == Option && Call.Class.ends_with("Options") && Call.Arguments.size() == 1) {
    return Call.Arguments[0];
  }
  for (const clang::Stmt* Each : Said.children()) {
    if (const clang::Expr* Given = Each ? optionIn(*Each, Option, FollowsNames && !Name) : nullptr) {
      return Given;
    }
  }
  return nullptr;
}

}  // namespace

const clang::Expr* optionIn(const clang::Stmt& S, llvm::StringRef Option) { return optionIn(S, Option, /*FollowsNames=*/true); }

}  // namespace graphgen::check
