// SPDX-License-Identifier: Apache-2.0
//
// Writes statistics as JSON, which statistics_json.cmake reads back: numbers that a double cannot hold, and names that need escapes.
#include <graphed/stats.h>

#include <iostream>
#include <limits>

int main() {
  graphed::Statistics stats;
  stats.calls = std::numeric_limits<uint64_t>::max();
  stats.warmups = 3;
  stats.replays = (uint64_t{1} << 53) + 1;
  stats.backward_replays = 4;
  stats.captures = 6;
  stats.backward_captures = 7;
  stats.failed_captures = 8;
  stats.fused_operators = 24;
  stats.fused_kernels = 25;
  stats.kept_outputs = 9;
  stats.bytes_moved = 21;
  stats.capture_failures["at operator \"aten::equal\""] = 22;
  stats.verified = 10;
  stats.differences = 11;
  stats.bytes_staged = 12;
  stats.bytes_held = 13;
  stats.bytes_pinned = 23;
  stats.capture_microseconds = 14561.75;
  stats.misses[static_cast<std::size_t>(graphed::Miss::RequiresGrad)] = 14;
  stats.misses[static_cast<std::size_t>(graphed::Miss::Nested)] = 15;
  stats.misses_by_parameter["x: shape"] = 16;
  stats.misses_by_parameter["b[\"obs\"]: dtype"] = 17;
  stats.misses_by_parameter["C:\\new: strides"] = 18;
  stats.misses_by_parameter["tab\tand\nline\x01: device"] = 19;
  stats.misses_by_parameter["gr\xC3\xB6\xC3\x9F\x65: shape"] = 20;
  stats.sizes["B"] = {3, 9007199254740993};
  std::cout << stats.to_json() << '\n';
}
