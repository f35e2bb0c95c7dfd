// SPDX-License-Identifier: Apache-2.0
//
// Tensors that are made past the dispatcher: no mode of the thread and no recording sees it.
#pragma once

#include "torch/libtorch_version.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Storage.h>

namespace graphed::impl {

/// With memory of the device's allocator and no values yet.
at::Tensor allocate_tensor(at::IntArrayRef sizes, at::IntArrayRef strides, c10::ScalarType dtype, c10::Device device);
/// Over a storage, from its beginning.
at::Tensor tensor_over(c10::Storage storage, at::IntArrayRef sizes, at::IntArrayRef strides, c10::ScalarType dtype);
/// Over a storage, with the shape, dtype and kind of another tensor; without names. An inference tensor in that mode, and no other.
at::Tensor tensor_over(c10::Storage storage, const at::Tensor& like);
/// Whether operators treat both the same: device, layout, conjugation, inference mode.
inline bool are_of_one_kind(const at::Tensor& one, const at::Tensor& other) { return one.key_set() == other.key_set(); }
/// Whether its dimensions have names, which LibTorch has up to 2.12, whatever the thread's mode of names.
inline bool has_names([[maybe_unused]] const at::Tensor& tensor) {
#if GRAPHED_LIBTORCH_AT_LEAST(2, 13)
  return false;
#else
  return tensor.unsafeGetTensorImpl()->has_named_tensor_meta();
#endif
}
/// Whether a Python object stands for it.
inline bool is_known_to_python(const at::Tensor& tensor) { return tensor.unsafeGetTensorImpl()->pyobj_slot()->load_pyobj() != nullptr; }

}  // namespace graphed::impl
