// SPDX-License-Identifier: Apache-2.0
//
// Which tensors autograd keeps for a backward.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace graphed {

/// For each tensor, whether somebody besides the list, and the views in it, holds it, its base, or its version counter, as autograd does
/// with what it saves.
std::vector<bool> saved_by_autograd(const std::vector<at::Tensor>& results);

}  // namespace graphed
