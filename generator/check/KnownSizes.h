// SPDX-License-Identifier: Apache-2.0
//
// By the sizes of its tensors LibTorch chooses how it computes: what is known of that by the sizes that annotations say.
#pragma once

#include "check/CaptureCheck.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphgen::check {

enum class Holds { Unknown, Never, Sometimes, Always };

/// Whether a tensor's sizes fulfil it.
Holds holds(const clang::Expr& Tensor, const Place& At, llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> Condition);

/// Whether two tensors have the same sizes.
Holds haveSameSizes(const clang::Expr& A, const clang::Expr& B, const Place& At);

}  // namespace graphgen::check
