// SPDX-License-Identifier: Apache-2.0
//
// Parts of a captured graph that share no node, as two networks without a common weight: each may be gone back through alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace graphed::impl {

/// Of any number. Nearly all graphs have one part, and few have as many as a word has bits.
class part_set {
 public:
  void add(std::size_t part) {
    if (part < bits_of_word) {
      first_ |= uint64_t{1} << part;
    } else {
      const std::size_t word = part / bits_of_word - 1;
      more_.resize(std::max(more_.size(), word + 1));
      more_[word] |= uint64_t{1} << part % bits_of_word;
    }
  }
  void add(const part_set& others) {
    first_ |= others.first_;
    more_.resize(std::max(more_.size(), others.more_.size()));
    std::transform(others.more_.begin(), others.more_.end(), more_.begin(), more_.begin(), std::bit_or<>());
  }
  bool meets(const part_set& other) const {
    const auto both = static_cast<std::ptrdiff_t>(std::min(more_.size(), other.more_.size()));
    return (first_ & other.first_) != 0 ||
           !std::equal(more_.begin(), more_.begin() + both, other.more_.begin(), [](uint64_t a, uint64_t b) { return (a & b) == 0; });
  }
  bool empty() const { return first_ == 0 && more_.empty(); }
  bool operator==(const part_set& other) const { return first_ == other.first_ && more_ == other.more_; }
  bool operator!=(const part_set& other) const { return !(*this == other); }

 private:
  static constexpr std::size_t bits_of_word = 64;

  uint64_t first_ = 0;          ///< a bit for each part
  std::vector<uint64_t> more_;  ///< the last word has one
};

}  // namespace graphed::impl
