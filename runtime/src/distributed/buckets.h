// SPDX-License-Identifier: Apache-2.0
//
// Tensors that travel together: large enough to use the network well, small enough to leave before the last of them is computed.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <vector>

namespace graphed::impl {

/// Of one dtype each, in the order of the tensors. The first bucket of a dtype is full with `first` bytes, the others with `next`.
std::vector<std::vector<at::Tensor>> in_buckets(at::TensorList tensors, std::size_t first, std::size_t next);

}  // namespace graphed::impl
