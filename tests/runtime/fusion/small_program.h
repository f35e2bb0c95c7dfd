// SPDX-License-Identifier: Apache-2.0
//
// Programs written by hand.
#pragma once

#include "fusion/fuse.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace fusion_test {

using namespace graphed::impl;
using namespace graphed::impl::fusion;

inline std::vector<int64_t> contiguous(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (std::size_t dim = sizes.size(); dim-- > 1;) {
    strides[dim - 1] = strides[dim] * sizes[dim];
  }
  return strides;
}

struct small_program {
  traced_program traced;
  formulas_of_steps formulas;

  /// In a storage of its own, at an address that none had before, unless it is given.
  traced_tensor tensor(std::vector<int64_t> sizes, bool is_seen = false, at::ScalarType dtype = at::kFloat,
                       std::optional<uintptr_t> address = std::nullopt) {
    std::vector<int64_t> strides = contiguous(sizes);
    traced_tensor made{address.value_or(next_), dtype, std::move(sizes), std::move(strides), traced.memories.size()};
    traced.memories.push_back({made.range(), is_seen});
    next_ += address ? 0 : (made.range().end - made.range().begin + 511) / 512 * 512;
    return made;
  }
  traced_tensor seen(std::vector<int64_t> sizes) { return tensor(std::move(sizes), /*is_seen=*/true); }

  std::size_t pointwise(const traced_tensor& result, const std::vector<traced_tensor>& operands) {
    static constexpr formula any{};
    formula_use use{&any, {}, at::kFloat};
    traced_step step;
    for (const auto& each : operands) {
      use.operands.push_back({step.arguments.size(), std::nullopt});
      step.arguments.emplace_back(each);
      step.reads.push_back(each.range());
    }
    step.results.push_back(result);
    step.writes.push_back(result.range());
    return add(std::move(step), std::move(use));
  }

  /// As a reduction or a product of matrices.
  std::size_t other(const traced_tensor& result, const std::vector<traced_tensor>& reads) {
    traced_step step;
    for (const auto& each : reads) {
      step.arguments.emplace_back(each);
      step.reads.push_back(each.range());
    }
    step.results.push_back(result);
    step.writes.push_back(result.range());
    return add(std::move(step), std::nullopt);
  }

  std::size_t barrier() {
    traced_step step;
    step.is_barrier = true;
    return add(std::move(step), std::nullopt);
  }

 private:
  std::size_t add(traced_step step, std::optional<formula_use> use) {
    traced.steps.push_back(std::move(step));
    formulas.push_back(std::move(use));
    return traced.steps.size() - 1;
  }

  uintptr_t next_ = 4096;
};

}  // namespace fusion_test
