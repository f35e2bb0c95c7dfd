// SPDX-License-Identifier: Apache-2.0
#include "padding.h"

#include "staging.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/util/accumulate.h>

namespace graphed {
namespace {

// Repeats the last row of the `size` that are there to the end of a dimension.
void repeat_last(const at::Tensor& tensor, int64_t dim, int64_t size) {
  const int64_t missing = tensor.size(dim) - size;
  if (size == 0 || missing == 0) {
    return;
  }
  tensor.narrow(dim, size, missing).copy_(tensor.narrow(dim, size - 1, 1));
}

}  // namespace

std::vector<int64_t> own_shape(const sample_spec& sample, std::size_t tensor, at::IntArrayRef sizes) {
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

int64_t elements_of(const sample_spec& sample) {
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

uint64_t copy_filled(const sample_spec& sample, std::size_t tensor, const at::Tensor& to, const at::Tensor& from) {
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
    if (sample.padded[static_cast<std::size_t>(place.variable)].fill == pad_fill::repeat) {
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

}  // namespace graphed
