// SPDX-License-Identifier: Apache-2.0
//
// Tensor::_lazy_clone, which shares memory until LibTorch sees a write to it: a graph writes unseen.
#pragma once

#include <ATen/core/Tensor.h>

namespace graphed::impl {

/// From now on, in the whole process, _lazy_clone of a tensor for which `is_written_by_graphs` holds copies its storage at once. Once only.
void watch_lazy_clone(bool (*is_written_by_graphs)(const at::Tensor& tensor));

}  // namespace graphed::impl
