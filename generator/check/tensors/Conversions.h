// SPDX-License-Identifier: Apache-2.0
//
// What the arguments of a conversion or of a factory say of dtypes.
#pragma once

#include "annotation/Syntax.h"

#include "clang/AST/Expr.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace graphgen::check {

/// What is known of a tensor's dtype.
using TypeOfTensor = llvm::function_ref<std::optional<annotation::DType>(const clang::Expr& Tensor)>;

/// Whether the arguments of `to` say another dtype, so that it copies; also by a tensor whose dtype is known: x.to(y.scalar_type()).
bool namesOtherDType(const clang::CallExpr& Call, annotation::DType Of, TypeOfTensor Known);

/// Whether the dtype that the arguments say is bool or the bytes'; nothing where they say none. False also where nobody knows.
std::optional<bool> namesMaskType(const clang::CallExpr& Call);

}  // namespace graphgen::check
