// SPDX-License-Identifier: Apache-2.0
//
// Calls of functions and constructions of classes that checks know by name: LibTorch's, the standard library's, CUDA's and C's.
#pragma once

#include "clang/AST/Expr.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace graphgen::check {

struct KnownCall {
  const clang::FunctionDecl* Function = nullptr;
  llvm::StringRef Class;        // of a method or construction
  llvm::StringRef Name;         // of a construction that of the class
  clang::SourceLocation Where;  // of the name, or of the variable that is constructed
  llvm::ArrayRef<const clang::Expr*> Arguments;

  explicit operator bool() const { return Function != nullptr; }
  /// By the function's name with its namespaces and class, without those that are inline.
  bool isOneOf(llvm::ArrayRef<llvm::StringLiteral> Names) const;
  /// Of a function of LibTorch's or the standard library's that is no method.
  bool isOfNamespace() const;
};

/// S as that; else none. Copies, moves, operators and conversions are none.
KnownCall knownCall(const clang::Stmt& S);

/// Of a function that writes its result into an argument the name of the one that returns it: `add` for `add_out`.
llvm::StringRef withoutOut(llvm::StringRef Name);

/// Declared in no namespace and no class, by C or by a system header.
bool isOfC(const clang::FunctionDecl& F);

}  // namespace graphgen::check
