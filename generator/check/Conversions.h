// SPDX-License-Identifier: Apache-2.0
//
// What the arguments of a conversion or of a factory say of dtypes.
#pragma once

#include "annotation/Syntax.h"

#include "clang/AST/Expr.h"

#include <optional>

namespace graphgen::check {

/// Whether the arguments of `to` say another dtype, so that it copies.
bool namesOtherDType(const clang::CallExpr& Call, annotation::DType Of);

/// Whether the dtype that the arguments say is bool or the bytes'; nothing where they say none. False also where nobody knows.
std::optional<bool> namesMaskType(const clang::CallExpr& Call);

}  // namespace graphgen::check
