// SPDX-License-Identifier: Apache-2.0
//
// Random choices from one seed, the same with every standard library: std's distributions differ from one to the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace graphed::fuzz {

class dice {
 public:
  explicit dice(uint64_t seed) : engine_(seed) {}

  /// In [0, bound).
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(engine_() % bound); }
  bool chance(std::size_t percent) { return below(100) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& values) {
    return values[below(values.size())];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace graphed::fuzz
