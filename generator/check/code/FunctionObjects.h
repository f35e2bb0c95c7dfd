// SPDX-License-Identifier: Apache-2.0
//
// What the unit makes objects of std::function of, wherever these go: a body that calls one of that type may come to it.
#pragma once

#include "clang/AST/DeclCXX.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace graphgen::check {

struct FunctionObject {
  llvm::SetVector<const clang::CXXMethodDecl*> Of;  // `operator()` of the types of std::function
  const clang::ValueDecl* Store = nullptr;          // the member or variable outside of functions that gets it here; null where unknown
};

/// By the functions that they run: of lambdas and functors the `operator()`.
llvm::MapVector<const clang::FunctionDecl*, FunctionObject> functionObjectsIn(const clang::ASTContext& Context);

}  // namespace graphgen::check
