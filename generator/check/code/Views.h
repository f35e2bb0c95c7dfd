// SPDX-License-Identifier: Apache-2.0
//
// Which calls give the values of the tensor that they are made on: views, and what may be a copy.
#pragma once

#include "clang/AST/Expr.h"

namespace graphgen::check {

enum class Showing { Nothing, Perhaps, Values };

/// Of a tensor's method, or of a function whose first argument is the tensor.
Showing showingOf(const clang::CallExpr& Call);

/// `to`, which copies where it is given another dtype or device.
bool isConversion(const clang::CallExpr& Call);

}  // namespace graphgen::check
