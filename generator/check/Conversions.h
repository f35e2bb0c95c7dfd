// SPDX-License-Identifier: Apache-2.0
//
// Whether a conversion leaves a tensor as it is.
#pragma once

#include "annotation/Syntax.h"

#include "clang/AST/Expr.h"

namespace graphgen::check {

/// Whether the arguments of `to` say another dtype, so that it copies.
bool namesOtherDType(const clang::CallExpr& Call, annotation::DType Of);

}  // namespace graphgen::check
