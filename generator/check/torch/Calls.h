// SPDX-License-Identifier: Apache-2.0
//
// From C++ to operators: which one a function of LibTorch's calls, and which argument is given to which parameter of its schema.
#pragma once

#include "check/torch/Operator.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace graphgen::check {

/// A function of C++ as a way to call an operator.
struct OperatorBinding {
  const Operator* Called = nullptr;  // null: it calls none
  /// Of each parameter of C++, a method's object first, that of the schema; of `options` it is dtype.
  llvm::SmallVector<const Operator::Parameter*, 8> Parameters;
};
OperatorBinding operatorBinding(const clang::FunctionDecl& Function);

/// Of a function of at:: or torch::, or a method of at::Tensor, by its name, and the names and types of its parameters. Null where it is
/// not an operator's, or no overload has such parameters.
const Operator* operatorOf(const clang::FunctionDecl& Function);

/// What Call gives to the parameter of the schema; "self" is a method's object, and `options` are given to dtype, layout, device and
/// pin_memory. Null where nothing is given, and where Call is not an operator's.
const clang::Expr* argument(const clang::Stmt& Call, llvm::StringRef Parameter);

/// The parameter that Call gives the argument to; of `options` it is dtype. Null where there is none.
const Operator::Parameter* parameterOf(const clang::Stmt& Call, const clang::Expr& Argument);

}  // namespace graphgen::check
