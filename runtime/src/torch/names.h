// SPDX-License-Identifier: Apache-2.0
//
// Named dimensions, which LibTorch has up to 2.12.
#pragma once

#include "torch/libtorch_version.h"

#include <ATen/core/Tensor.h>

namespace graphed::impl {

#if GRAPHED_LIBTORCH_AT_LEAST(2, 13)
inline bool has_names(const at::Tensor&) { return false; }
inline bool has_names_set(const c10::TensorImpl&) { return false; }
#else
inline bool has_names(const at::Tensor& tensor) { return tensor.has_names(); }
/// Of this tensor, whatever the thread's mode of names.
inline bool has_names_set(const c10::TensorImpl& tensor) { return tensor.has_named_tensor_meta(); }
#endif

}  // namespace graphed::impl
