// SPDX-License-Identifier: Apache-2.0
//
// Lambdas in variables that nobody uses.
#pragma once

#include "check/code/Frame.h"

#include "clang/AST/ExprCXX.h"

namespace graphgen::check {

/// Whether the lambda is the value of a local variable of `In` whose only mentions are casts to void.
bool isUnused(const clang::LambdaExpr& Lambda, const Frame& In);

}  // namespace graphgen::check
