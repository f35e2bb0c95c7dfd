// SPDX-License-Identifier: Apache-2.0
#include "fusion/ancestry.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace graphed::impl::fusion {

void ancestry::join(clock& with, const clock& other) {
  with.resize(std::max(with.size(), other.size()));
  for (std::size_t chain = 0; chain < other.size(); ++chain) {
    with[chain] = std::max(with[chain], other[chain]);
  }
}

// One whose last vertex comes before, or a new one.
std::size_t ancestry::choose_chain(const clock& before) const {
  for (std::size_t chain = 0; chain < before.size(); ++chain) {
    if (before[chain] != 0 && before[chain] == lengths_[chain]) {
      return chain;
    }
  }
  return lengths_.size();
}

std::vector<std::size_t> ancestry::add(std::vector<std::size_t> behind) {
  std::sort(behind.begin(), behind.end(), std::greater<>());
  std::vector<std::size_t> needed;
  clock before;
  for (const std::size_t vertex : behind) {
    if (chain_[vertex] >= before.size() || before[chain_[vertex]] < count_of(vertex)) {
      needed.push_back(vertex);
      join(before, clocks_[vertex]);
    }
  }
  const std::size_t chain = choose_chain(before);
  if (chain == lengths_.size()) {
    lengths_.push_back(0);
  }
  before.resize(std::max(before.size(), chain + 1));
  before[chain] = ++lengths_[chain];
  chain_.push_back(chain);
  clocks_.push_back(std::move(before));
  return needed;
}

}  // namespace graphed::impl::fusion
