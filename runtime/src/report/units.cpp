// SPDX-License-Identifier: Apache-2.0
#include "report/units.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace graphed::impl {
namespace {

struct scaled_value {
  int64_t tenths;
  std::size_t unit;
};

// In the smallest unit in which the rounded value is below `step`, or else in the last unit.
scaled_value scale(double value, int64_t step, std::size_t last_unit) {
  std::size_t unit = 0;
  while (std::round(value * 10) >= static_cast<double>(step * 10) && unit < last_unit) {
    value /= static_cast<double>(step);
    ++unit;
  }
  return {std::llround(value * 10), unit};
}

std::string with_tenth(int64_t tenths) { return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10); }

}  // namespace

std::string human_bytes(uint64_t bytes) {
  constexpr std::array units{" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  const auto [tenths, unit] = scale(static_cast<double>(bytes), 1024, units.size() - 1);
  return (unit == 0 ? std::to_string(bytes) : with_tenth(tenths)) + units[unit];
}

std::string human_time(double microseconds) {
  constexpr std::array units{" us", " ms", " s"};
  const auto [tenths, unit] = scale(microseconds, 1000, units.size() - 1);
  return (unit == 0 && tenths % 10 == 0 ? std::to_string(tenths / 10) : with_tenth(tenths)) + units[unit];
}

std::string counted(uint64_t count, const std::string& what) { return std::to_string(count) + " " + what + (count == 1 ? "" : "s"); }

}  // namespace graphed::impl
