// SPDX-License-Identifier: Apache-2.0
//
// Which class of LibTorch's or the standard library's a type is.
#pragma once

#include "clang/AST/Type.h"

#include "llvm/ADT/StringRef.h"

namespace graphgen::check {

/// at::Tensor or a base of it, looked at through references and const.
bool isTensor(clang::QualType Type);

/// A parameter's type: a tensor, or an optional one.
bool takesTensor(clang::QualType Type);

/// The name of the class, without its namespace, where that is LibTorch's or the standard library's; else empty.
llvm::StringRef libraryClass(clang::QualType Type);

}  // namespace graphgen::check
