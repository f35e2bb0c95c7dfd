// SPDX-License-Identifier: Apache-2.0
//
// Reads "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor".
#pragma once

#include "check/torch/Operator.h"

namespace graphgen::check {

/// Of a schema that LibTorch accepts. The operator refers to the text.
Operator parseSchema(llvm::StringRef Text);

}  // namespace graphgen::check
