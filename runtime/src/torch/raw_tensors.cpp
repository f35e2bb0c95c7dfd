// SPDX-License-Identifier: Apache-2.0
#include "torch/raw_tensors.h"

#include <ATen/EmptyTensor.h>
#include <c10/core/Allocator.h>
#include <c10/core/TensorOptions.h>

#include <utility>

namespace graphed::impl {

static c10::DispatchKeySet keys_of(c10::ScalarType dtype, c10::Device device) {
  return c10::DispatchKeySet(c10::computeDispatchKey(dtype, at::kStrided, device));
}

at::Tensor allocate_tensor(at::IntArrayRef sizes, at::IntArrayRef strides, c10::ScalarType dtype, c10::Device device) {
  return at::Tensor(at::detail::empty_strided_generic(sizes, strides, c10::GetAllocator(device.type()), keys_of(dtype, device), dtype));
}

at::Tensor tensor_over(c10::Storage storage, at::IntArrayRef sizes, at::IntArrayRef strides, c10::ScalarType dtype) {
  const auto keys = keys_of(dtype, storage.device());
  auto made = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), keys, c10::scalarTypeToTypeMeta(dtype));
  made.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
  return made;
}

at::Tensor tensor_over(c10::Storage storage, const at::Tensor& like) {
  auto made = c10::make_intrusive<c10::TensorImpl>(std::move(storage), like.key_set(), like.dtype());
  made->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
  return at::Tensor(std::move(made));
}

}  // namespace graphed::impl
