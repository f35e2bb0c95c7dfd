// SPDX-License-Identifier: Apache-2.0
//
// A tensor's values as bytes, which compare where numbers do not: a NaN is equal to itself, and 0 is not -0.
#pragma once

#include <ATen/core/Tensor.h>

namespace graphed::impl {

/// In the order of the elements; a view where it can be one. The tensor is strided.
inline at::Tensor bytes_of(const at::Tensor& tensor) {
  const at::Tensor dense = tensor.detach().resolve_conj().resolve_neg().contiguous();
  return dense.as_strided({dense.numel()}, {1}).view(at::kByte);  // one element may have any stride
}

}  // namespace graphed::impl
