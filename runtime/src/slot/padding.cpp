// SPDX-License-Identifier: Apache-2.0
#include "slot/padding.h"

#include "backend/staging.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/accumulate.h>

namespace graphed::impl {

// Repeats the last row of the `size` that are there to the end of a dimension.
static void repeat_last(const at::Tensor& tensor, int64_t dim, int64_t size) {
  const int64_t missing = tensor.size(dim) - size;
  if (size == 0 || missing == 0) {
    return;
  }
  tensor.narrow(dim, size, missing).copy_(tensor.narrow(dim, size - 1, 1));
}

std::vector<int64_t> own_shape(const SampleSpec& sample, std::size_t tensor, at::IntArrayRef sizes) {
  std::vector<int64_t> shape = sample.tensors[tensor].shape.vec();
  if (sizes.empty()) {
    return shape;
  }
  for (const auto& place : sample.padded_dims) {
    if (static_cast<std::size_t>(place.tensor) == tensor) {
      shape[static_cast<std::size_t>(place.dim)] = sizes[static_cast<std::size_t>(place.variable)];
    }
  }
  return shape;
}

int64_t elements_of(const SampleSpec& sample) {
  int64_t elements = 0;
  for (const auto& tensor : sample.tensors) {
    elements += c10::multiply_integers(tensor.shape);
  }
  return elements;
}

at::Tensor corner(const at::Tensor& tensor, at::IntArrayRef sizes) {
  auto impl = tensor.unsafeGetTensorImpl()->shallow_copy_and_detach(c10::VariableVersion(0), /*allow_tensor_metadata_change=*/true);
  impl->set_sizes_and_strides(sizes, tensor.strides());
  return at::Tensor(std::move(impl));
}

std::vector<tensor_layout> layouts_of(const std::vector<at::Tensor>& tensors) {
  std::vector<tensor_layout> layouts;
  for (const auto& tensor : tensors) {
    layouts.push_back(tensor.defined() ? tensor_layout{tensor.sizes().vec(), tensor.strides().vec()} : tensor_layout());
  }
  return layouts;
}

bool cut_down(at::Tensor& result, const tensor_layout& layout) {
  bool lies_so = true;
  for (std::size_t dim = 0; dim < layout.sizes.size(); ++dim) {
    lies_so &= layout.sizes[dim] < 2 || result.strides()[dim] == layout.strides[dim];
  }
  if (lies_so || c10::multiply_integers(layout.sizes) == 0) {
    result.unsafeGetTensorImpl()->set_sizes_and_strides(layout.sizes, layout.strides);
    return false;
  }
  const c10::InferenceMode same(result.is_inference());
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const at::Tensor own = at::empty_strided(layout.sizes, layout.strides, result.options());
  copy_value(own, corner(result, layout.sizes));
  result = own;
  return true;
}

uint64_t copy_filled(const SampleSpec& sample, std::size_t tensor, const at::Tensor& to, const at::Tensor& from) {
  const uint64_t bytes = copy_filled(to, from);
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  at::Tensor filled = corner(to, from.sizes());
  for (const auto& place : sample.padded_dims) {
    if (static_cast<std::size_t>(place.tensor) != tensor) {
      continue;
    }
    std::vector<int64_t> sizes = filled.sizes().vec();
    const auto dim = static_cast<std::size_t>(place.dim);
    sizes[dim] = to.size(place.dim);
    filled = corner(to, sizes);
    if (sample.padded[static_cast<std::size_t>(place.variable)].fill == PadFill::Repeat) {
      repeat_last(filled, place.dim, from.size(place.dim));
    }
  }
  return bytes;
}

uint64_t copy_filled(const at::Tensor& to, const at::Tensor& from) {
  {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    to.zero_();
  }
  return copy_value(corner(to, from.sizes()), from);
}

}  // namespace graphed::impl
