// SPDX-License-Identifier: Apache-2.0
//
// What several checks ask about calls of LibTorch and of the standard library.
#pragma once

#include "clang/AST/Expr.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace graphgen::check {

/// A call of a function or a method, or a construction, whose name is then that of the class.
struct LibraryCall {
  const clang::FunctionDecl* Function = nullptr;
  llvm::StringRef Class;  // of a method or construction
  llvm::StringRef Name;
  clang::SourceLocation Where;  // of the name, or of the variable that is constructed
  llvm::ArrayRef<const clang::Expr*> Arguments;

  explicit operator bool() const { return Function != nullptr; }
};

/// S as that; else none. Copies and moves are none.
LibraryCall libraryCall(const clang::Stmt& S);

}  // namespace graphgen::check
