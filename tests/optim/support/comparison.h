// SPDX-License-Identifier: Apache-2.0
//
// A case of cases.txt beside what Python made of it, after each step, and the table of all cases.
#pragma once

#include "support/trainer.h"

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphed::testing {

inline constexpr int64_t steps = 1000;

/// Of the parameters, the norm and the scale.
struct comparison {
  std::optional<int64_t> first_difference;  ///< the first step with other bits than Python's
  double largest_difference = 0;            ///< of a parameter after any step, in units of its value, or of 1 where that is smaller
  int64_t replays = 0;
};

struct compared_case {
  optimizer_case which;
  comparison eager, graphed;
  comparison live;  ///< eager, with live(true)
};
using comparisons = std::vector<compared_case>;

compared_case compare(const optimizer_case& which, c10::Device device);

/// How far numbers that are on the device may lead from Python's figures, whose operators round elsewhere, in `steps` steps.
double live_bound(const optimizer_case& which);

/// In Markdown; the same wherever the same holds.
std::string table_of(const comparisons& all, c10::Device device);

}  // namespace graphed::testing
