// SPDX-License-Identifier: Apache-2.0
//
// The return over time, as a table and as a picture.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace rl {

/// What was measured after an episode.
struct Point {
  int64_t environment_steps, updates;
  double eager, graphed;  // mean returns
};

/// A line of names, then one for each point. Both throw std::runtime_error where the file cannot be written.
void write_csv(const std::filesystem::path& path, const std::vector<Point>& points);
/// Both returns over the environment steps, graphed on top of eager, and the `wanted` return.
void write_svg(const std::filesystem::path& path, const std::vector<Point>& points, double wanted);

}  // namespace rl
