// SPDX-License-Identifier: Apache-2.0
#include "backend/staging.h"

#include "torch/modes.h"
#include "torch/raw_tensors.h"

#include <ATen/TensorIterator.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/MemoryFormat.h>
#include <c10/util/SmallVector.h>
#include <c10/util/strides.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace graphed::impl {
namespace {

// One element along each dimension of stride 0.
at::Tensor without_repeats(const at::Tensor& tensor) {
  at::Tensor distinct = tensor;
  for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
    if (tensor.stride(dim) == 0 && tensor.size(dim) > 1) {
      distinct = distinct.narrow(dim, 0, 1);
    }
  }
  return distinct;
}

// Up to what an operator would leave to one thread.
bool are_few_bytes_alike(const at::Tensor& to, const at::Tensor& from) {
  return to.is_cpu() && from.is_cpu() && to.numel() <= at::internal::GRAIN_SIZE && to.dtype() == from.dtype() &&
         to.sizes() == from.sizes() && to.strides() == from.strides() && to.is_non_overlapping_and_dense() && has_values_in_memory(to) &&
         has_values_in_memory(from);
}

}  // namespace

bool overlap(at::TensorList tensors) {
  c10::SmallVector<std::pair<const char*, const char*>, 8> ranges;
  for (const auto& tensor : tensors) {
    const auto* const begin = static_cast<const char*>(tensor.const_data_ptr());
    ranges.emplace_back(begin, begin + tensor.nbytes());
  }
  std::sort(ranges.begin(), ranges.end());
  return std::adjacent_find(ranges.begin(), ranges.end(), [](const auto& one, const auto& next) { return next.first < one.second; }) !=
         ranges.end();
}

at::Tensor make_static(at::IntArrayRef sizes, at::IntArrayRef strides, c10::ScalarType dtype, c10::Device device) {
  const c10::InferenceMode normal_tensor(false);
  const c10::OptionalDeviceGuard on_device(device);
  return allocate_tensor(sizes, strides, dtype, device);
}

at::DimVector strides_of(const TensorSpec& spec, at::IntArrayRef sizes) {
  if ((spec.flags & flags::channels_last) == 0) {
    return c10::contiguous_strides(sizes);
  }
  return at::DimVector(sizes.size() == 5 ? c10::get_channels_last_strides_3d(sizes) : c10::get_channels_last_strides_2d(sizes));
}

at::Tensor static_like(const at::Tensor& tensor) {
  return make_static(tensor.sizes(), tensor.strides(), tensor.scalar_type(), tensor.device());
}

uint64_t bytes_of_copy(const at::Tensor& to) { return without_repeats(to).nbytes(); }

uint64_t copy_value(const at::Tensor& to, const at::Tensor& from) {
  if (to._is_zerotensor() && from._is_zerotensor()) {
    return 0;
  }
  if (are_few_bytes_alike(to, from)) {
    const uint64_t bytes = to.nbytes();
    void* const target = to.mutable_data_ptr();
    const void* const source = from.const_data_ptr();
    if (bytes > 0 && target != source) {
      std::memcpy(target, source, bytes);
    }
    return bytes;
  }
  const below_autograd_and_autocast value_alone;
  const at::Tensor distinct = without_repeats(to);
  distinct.copy_(without_repeats(from), /*non_blocking=*/true);
  return distinct.nbytes();
}

at::Tensor copy_of(const at::Tensor& tensor) {
  if (tensor.layout() != at::kStrided) {
    return tensor.clone();
  }
  at::Tensor copy = static_like(tensor);
  copy_value(copy, tensor);
  return copy;
}

at::Tensor bytes_of(const c10::Storage& storage) { return tensor_over(storage, {static_cast<int64_t>(storage.nbytes())}, {1}, at::kByte); }

void fill_value(const at::Tensor& to, const c10::Scalar& value) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  to.fill_(value);
}

}  // namespace graphed::impl
