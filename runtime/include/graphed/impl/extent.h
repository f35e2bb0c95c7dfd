// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on sizes that are known only at run time, as annotations have it: `2 * B + 1`.
#pragma once

#include <cstdint>
#include <limits>

namespace graphed::impl {

/// A number of 64 bits, or none: after an overflow or a division by zero. Division and remainder are C++'s.
class Extent {
 public:
  constexpr Extent() = default;
  constexpr Extent(int64_t value) : value_(value), is_known_(true) {}

  /// No size is equal to one that is not known.
  constexpr bool is(int64_t size) const { return is_known_ && value_ == size; }
  constexpr int64_t value_or(int64_t other) const { return is_known_ ? value_ : other; }

  friend constexpr Extent operator+(Extent a, Extent b) {
    int64_t result = 0;
    return of(a, b, !__builtin_add_overflow(a.value_, b.value_, &result), result);
  }
  friend constexpr Extent operator-(Extent a, Extent b) {
    int64_t result = 0;
    return of(a, b, !__builtin_sub_overflow(a.value_, b.value_, &result), result);
  }
  friend constexpr Extent operator*(Extent a, Extent b) {
    int64_t result = 0;
    return of(a, b, !__builtin_mul_overflow(a.value_, b.value_, &result), result);
  }
  friend constexpr Extent operator/(Extent a, Extent b) { return divides(a, b) ? Extent(a.value_ / b.value_) : Extent(); }
  friend constexpr Extent operator%(Extent a, Extent b) { return divides(a, b) ? Extent(a.value_ % b.value_) : Extent(); }
  friend constexpr Extent operator-(Extent a) { return Extent(0) - a; }

 private:
  static constexpr Extent of(Extent a, Extent b, bool fits, int64_t value) {
    return a.is_known_ && b.is_known_ && fits ? Extent(value) : Extent();
  }
  static constexpr bool divides(Extent a, Extent b) {
    const bool overflows = a.value_ == std::numeric_limits<int64_t>::min() && b.value_ == -1;
    return a.is_known_ && b.is_known_ && b.value_ != 0 && !overflows;
  }

  int64_t value_ = 0;
  bool is_known_ = false;
};

}  // namespace graphed::impl
