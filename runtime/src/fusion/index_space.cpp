// SPDX-License-Identifier: Apache-2.0
#include "fusion/index_space.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace graphed::impl::fusion {
namespace {

std::vector<int64_t> permuted(const std::vector<int64_t>& values, const std::vector<std::size_t>& from) {
  std::vector<int64_t> result;
  for (const std::size_t dim : from) {
    result.push_back(values[dim]);
  }
  return result;
}

void erase(std::vector<int64_t>& values, std::size_t dim) { values.erase(values.begin() + static_cast<std::ptrdiff_t>(dim)); }

}  // namespace

index_space space_of(c10::IntArrayRef sizes) {
  index_space space;
  std::copy_if(sizes.begin(), sizes.end(), std::back_inserter(space), [](int64_t size) { return size != 1; });
  return space;
}

std::optional<index_space> common_space(const index_space& a, const index_space& b) {
  index_space from_inner;
  auto in_a = a.rbegin(), in_b = b.rbegin();
  int64_t left_of_a = 1, left_of_b = 1;
  while (true) {
    left_of_a = left_of_a == 1 && in_a != a.rend() ? *in_a++ : left_of_a;
    left_of_b = left_of_b == 1 && in_b != b.rend() ? *in_b++ : left_of_b;
    const int64_t size = std::min(left_of_a, left_of_b);
    if (size <= 1 || left_of_a % size != 0 || left_of_b % size != 0) {
      break;
    }
    from_inner.push_back(size);
    left_of_a /= size;
    left_of_b /= size;
  }
  if (left_of_a != 1 || left_of_b != 1) {
    return std::nullopt;
  }
  return index_space(from_inner.rbegin(), from_inner.rend());
}

std::optional<std::vector<int64_t>> strides_in(const index_space& space, c10::IntArrayRef sizes, const traced_tensor& tensor) {
  if (tensor.sizes.size() > sizes.size()) {
    return std::nullopt;
  }
  std::vector<int64_t> from_inner;
  const std::size_t leading = sizes.size() - tensor.sizes.size();
  for (std::size_t dim = sizes.size(); dim-- > 0;) {
    const int64_t own = dim < leading ? 1 : tensor.sizes[dim - leading];
    if (own != sizes[dim] && own != 1) {
      return std::nullopt;
    }
    int64_t stride = own == 1 ? 0 : tensor.strides[dim - leading];
    for (int64_t left = sizes[dim]; left > 1; left /= space[space.size() - from_inner.size()]) {
      from_inner.push_back(stride);
      stride *= space[space.size() - from_inner.size()];
    }
  }
  return std::vector<int64_t>(from_inner.rbegin(), from_inner.rend());
}

void simplify(index_space& space, std::vector<int64_t> order, std::vector<std::vector<int64_t>*> strides) {
  std::vector<std::size_t> from(space.size());
  std::iota(from.begin(), from.end(), std::size_t{0});
  std::stable_sort(from.begin(), from.end(), [&](std::size_t a, std::size_t b) { return order[a] > order[b]; });
  space = permuted(space, from);
  for (auto* const each : strides) {
    *each = permuted(*each, from);
  }
  for (std::size_t dim = space.size(); dim-- > 1;) {
    const bool is_one = std::all_of(strides.begin(), strides.end(),
                                    [&](const std::vector<int64_t>* each) { return (*each)[dim - 1] == (*each)[dim] * space[dim]; });
    if (is_one) {
      space[dim - 1] *= space[dim];
      erase(space, dim);
      for (auto* const each : strides) {
        (*each)[dim - 1] = (*each)[dim];
        erase(*each, dim);
      }
    }
  }
}

}  // namespace graphed::impl::fusion
