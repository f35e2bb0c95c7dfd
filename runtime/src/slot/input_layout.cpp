// SPDX-License-Identifier: Apache-2.0
#include "slot/input_layout.h"

#include "backend/staging.h"

#include <c10/util/SmallVector.h>

#include <algorithm>
#include <numeric>

namespace graphed::impl {
namespace {

constexpr int64_t widest_access = 16;

bool is_contiguous(at::IntArrayRef sizes, at::IntArrayRef strides) {
  int64_t expected = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (strides[i] != expected) {
      return false;
    }
    expected *= std::max<int64_t>(sizes[i], 1);
  }
  return true;
}

// The dimensions from the innermost to the outermost.
c10::SmallVector<std::size_t, 8> inner_first(const at::Tensor& tensor) {
  c10::SmallVector<std::size_t, 8> order(static_cast<std::size_t>(tensor.dim()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
    return std::make_pair(tensor.strides()[one], tensor.sizes()[one]) < std::make_pair(tensor.strides()[other], tensor.sizes()[other]);
  });
  return order;
}

// The least stride from `least` on that differs from `stride` by a multiple of `period`.
int64_t least_alike(int64_t stride, int64_t least, int64_t period) { return least + ((stride - least) % period + period) % period; }

}  // namespace

bool has_declared_strides(const TensorSpec& spec, const at::Tensor& argument) {
  if ((spec.flags & flags::channels_last) == 0) {
    return is_contiguous(argument.sizes(), argument.strides());
  }
  return argument.strides() == at::IntArrayRef(strides_of(spec, argument.sizes()));
}

std::optional<at::DimVector> input_strides(const TensorSpec& spec, const at::Tensor& argument) {
  if (!argument.defined() || argument.numel() == 0 || has_declared_strides(spec, argument)) {
    return strides_of(spec, argument.defined() ? argument.sizes() : spec.shape);
  }
  const int64_t period = std::max<int64_t>(widest_access / static_cast<int64_t>(argument.itemsize()), 1);
  at::DimVector strides(argument.strides());
  int64_t end = 1, own_end = 1;  // one past the last element of the dimensions so far: of the argument, and of the static input
  for (const std::size_t dim : inner_first(argument)) {
    const int64_t size = argument.sizes()[dim], stride = argument.strides()[dim];
    const bool is_repeated = stride == 0, is_single = size == 1;
    if (is_repeated || (is_single && stride < end)) {
      continue;
    }
    if (stride < end) {
      return std::nullopt;
    }
    strides[dim] = stride == end ? own_end : least_alike(stride, own_end + 1, period);
    end += (size - 1) * stride;
    own_end += (size - 1) * strides[dim];
  }
  return strides;
}

bool has_smaller_gaps(at::IntArrayRef strides, const at::Tensor& argument) {
  return argument.defined() && argument.numel() != 0 && argument.strides() != strides;
}

}  // namespace graphed::impl
