// SPDX-License-Identifier: Apache-2.0
//
// Copies between the caller's tensors and static ones, of the same shape, dtype and strides, below autograd: no history, no version is counted.
#pragma once

#include <ATen/core/Tensor.h>

namespace graphed {

/// A tensor of this one's shape, dtype and strides in memory of its own. Dimensions of stride 0 stay expanded.
at::Tensor static_like(const at::Tensor& tensor);
/// Copies the value; elements that a stride of 0 shows many times are copied once. Returns the bytes copied.
uint64_t copy_value(const at::Tensor& to, const at::Tensor& from);

} // namespace graphed
