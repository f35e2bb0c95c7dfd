// SPDX-License-Identifier: Apache-2.0
#include "trace/program.h"

#include <algorithm>
#include <utility>

namespace graphed::impl {

int64_t traced_tensor::numel() const {
  int64_t count = 1;
  for (const int64_t size : sizes) {
    count *= size;
  }
  return count;
}

byte_range traced_tensor::range() const {
  if (numel() == 0) {
    return {address, address};
  }
  int64_t last = 0;
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    last += (sizes[dim] - 1) * strides[dim];
  }
  return {address, address + static_cast<uintptr_t>(last + 1) * c10::elementSize(dtype)};
}

bool traced_tensor::is_injective() const {
  std::vector<std::pair<int64_t, int64_t>> from_inner;
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    if (sizes[dim] != 1) {
      from_inner.emplace_back(strides[dim], sizes[dim]);
    }
  }
  std::sort(from_inner.begin(), from_inner.end());
  int64_t last = 0;
  for (const auto& [stride, size] : from_inner) {
    if (stride <= last) {
      return false;
    }
    last += stride * (size - 1);
  }
  return true;
}

bool traced_tensor::is_dense() const {
  const byte_range all = range();
  return is_injective() && all.end - all.begin == static_cast<std::size_t>(numel()) * c10::elementSize(dtype);
}

}  // namespace graphed::impl
