// SPDX-License-Identifier: Apache-2.0
//
// What several checks ask about expressions on LibTorch's tensors.
#pragma once

#include "clang/AST/Expr.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace graphgen::check {

/// at::Tensor or a base of it, looked at through references and const.
bool isTensor(clang::QualType Type);

/// A parameter's type: a tensor, or an optional one.
bool takesTensor(clang::QualType Type);

/// The name of the class, without its namespace, where that is LibTorch's or the standard library's; else empty.
llvm::StringRef libraryClass(clang::QualType Type);

/// std::cerr or std::clog, and what `<<` to them gives.
bool isErrorStream(const clang::Expr& E);

struct TensorCall {
  const clang::CallExpr* Call = nullptr;
  const clang::FunctionDecl* Function = nullptr;
  llvm::StringRef Name;
  clang::SourceLocation Where;  // of the name
  bool IsMethod = false;        // of the tensor `Call` names before the dot

  explicit operator bool() const { return Call != nullptr; }
};

/// S as a call of a method of tensors, or of a function in at:: or torch::, with one of the names; else none.
TensorCall tensorCall(const clang::Stmt& S, llvm::ArrayRef<llvm::StringLiteral> Names);

/// The tensor that a method is called on, or a function's first argument; null where there is none.
const clang::Expr* tensorOf(const clang::CallExpr& Call);

/// A library's call that gives the very tensor that it is made on: x.add_(y).
bool isInPlace(const clang::CallExpr& Call);

/// A call that gives the host a number out of a tensor, or the truth about some.
TensorCall hostRead(const clang::Stmt& S);

/// Where the value of E was made: looks through parentheses, casts, temporaries and local variables at their initializers.
const clang::Expr& originOf(const clang::Expr& E);

}  // namespace graphgen::check
