// SPDX-License-Identifier: Apache-2.0
#include <graphed/stats.h>

#include "report/json.h"

#include <numeric>
#include <ostream>

namespace graphed {
using namespace impl;
namespace {

constexpr auto reason_count = static_cast<std::size_t>(Miss::NumReasons);

// In the order of the enumerators.
constexpr std::array reasons{"dtype",     "shape",       "strides",        "alignment",    "device",        "requires_grad",
                             "undefined", "list_length", "sizes",          "address",      "padding",       "inference_tensor",
                             "overlap",   "slots",       "capture_failed", "capture_busy", "capture_limit", "disabled",
                             "nested",    "new_key"};
static_assert(reasons.size() == reason_count, "a reason is missing");

}  // namespace

const char* to_string(Miss reason) {
  const auto index = static_cast<std::size_t>(reason);
  return index < reasons.size() ? reasons[index] : "unknown";
}

uint64_t Statistics::miss_count() const { return std::accumulate(misses.begin(), misses.end(), uint64_t{0}); }

std::string Statistics::to_json() const {
  json_object all, by_reason, by_parameter, failures, by_variable;
  all.add("calls", calls);
  all.add("warmups", warmups);
  all.add("replays", replays);
  all.add("backward_replays", backward_replays);
  all.add("captures", captures);
  all.add("backward_captures", backward_captures);
  all.add("failed_captures", failed_captures);
  all.add("fused_operators", fused_operators);
  all.add("fused_kernels", fused_kernels);
  all.add("kept_outputs", kept_outputs);
  all.add("bytes_moved", bytes_moved);
  all.add("verified", verified);
  all.add("differences", differences);
  all.add("bytes_staged", bytes_staged);
  all.add("bytes_held", bytes_held);
  all.add("bytes_pinned", bytes_pinned);
  all.add("capture_microseconds", capture_microseconds);
  for (std::size_t reason = 0; reason < reason_count; ++reason) {
    by_reason.add(reasons[reason], misses[reason]);
  }
  all.add("misses", by_reason);
  for (const auto& [parameter, count] : misses_by_parameter) {
    by_parameter.add(parameter, count);
  }
  all.add("misses_by_parameter", by_parameter);
  for (const auto& [why, count] : capture_failures) {
    failures.add(why, count);
  }
  all.add("capture_failures", failures);
  for (const auto& [variable, values] : sizes) {
    by_variable.add(variable, json_array_of(values));
  }
  all.add("sizes", by_variable);
  return all.text();
}

std::ostream& operator<<(std::ostream& out, const Statistics& stats) {
  out << "calls " << stats.calls << ": warm-ups " << stats.warmups << ", replays " << stats.replays << ", misses " << stats.miss_count()
      << '\n';
  for (std::size_t reason = 0; reason < reason_count; ++reason) {
    if (const uint64_t count = stats.misses[reason]; count != 0) {
      out << "  " << reasons[reason] << ": " << count << '\n';
    }
  }
  for (const auto& [parameter, count] : stats.misses_by_parameter) {
    out << "  " << parameter << ": " << count << '\n';
  }
  for (const auto& [variable, values] : stats.sizes) {
    out << "sizes " << variable << ": " << listed(values) << '\n';
  }
  if (stats.verified != 0) {
    out << "verified " << stats.verified << ", different " << stats.differences << '\n';
  }
  out << "backward replays " << stats.backward_replays;
  out << "\ncaptures " << stats.captures << " forward, " << stats.backward_captures << " backward, " << stats.failed_captures << " failed, "
      << human_time(stats.capture_microseconds) << '\n';
  for (const auto& [why, count] : stats.capture_failures) {
    out << "  " << why << ": " << count << '\n';
  }
  if (stats.fused_kernels != 0) {
    out << "fused " << stats.fused_operators << " operators into " << stats.fused_kernels << " kernels\n";
  }
  out << "bytes staged " << human_bytes(stats.bytes_staged) << ", held " << human_bytes(stats.bytes_held)
      << (stats.bytes_pinned == 0 ? "" : ", pinned " + human_bytes(stats.bytes_pinned)) << ", outputs moved " << stats.kept_outputs;
  return out << (stats.bytes_moved == 0 ? "" : ", " + human_bytes(stats.bytes_moved)) << '\n';
}

}  // namespace graphed
