// SPDX-License-Identifier: Apache-2.0
#include <graphed/stats.h>

#include <numeric>
#include <ostream>

namespace graphed {

const char* to_string(miss reason) {
  switch (reason) {
    case miss::dtype:
      return "dtype";
    case miss::shape:
      return "shape";
    case miss::strides:
      return "strides";
    case miss::alignment:
      return "alignment";
    case miss::device:
      return "device";
    case miss::requires_grad:
      return "requires grad";
    case miss::undefined:
      return "undefined";
    case miss::list_length:
      return "list length";
    case miss::address:
      return "address";
    case miss::padding:
      return "padding";
    case miss::inference:
      return "inference tensor";
    case miss::overlap:
      return "overlap";
    case miss::slots:
      return "slots in use";
    case miss::capture_failed:
      return "capture failed";
    case miss::capture_busy:
      return "another capture";
    case miss::capture_limit:
      return "capture limit";
    case miss::timing:
      return "timing";
    case miss::slower:
      return "slower";
    case miss::disabled:
      return "disabled";
    case miss::nested:
      return "inside a capture";
    case miss::count_:
      break;
  }
  return "unknown";
}

uint64_t statistics::miss_count() const { return std::accumulate(misses.begin(), misses.end(), uint64_t{0}); }

std::ostream& operator<<(std::ostream& out, const statistics& stats) {
  out << "calls " << stats.calls << ": warm-ups " << stats.warmups << ", replays " << stats.replays << ", misses " << stats.miss_count()
      << '\n';
  for (std::size_t i = 0; i < stats.misses.size(); ++i) {
    if (stats.misses[i] != 0) {
      out << "  " << to_string(static_cast<miss>(i)) << ": " << stats.misses[i] << '\n';
    }
  }
  for (const auto& [parameter, count] : stats.misses_by_parameter) {
    out << "  " << parameter << ": " << count << '\n';
  }
  if (stats.verified != 0) {
    out << "verified " << stats.verified << ", different " << stats.differences << '\n';
  }
  out << "backward replays " << stats.backward_replays;
  if (stats.weight_replays != 0) {
    out << ", of weights " << stats.weight_replays;
  }
  return out << "\ncaptures " << stats.captures << " forward, " << stats.backward_captures << " backward, " << stats.failed_captures
             << " failed, " << stats.capture_microseconds << " us\nbytes staged " << stats.bytes_staged << ", held " << stats.bytes_held
             << ", outputs moved " << stats.kept_outputs << '\n';
}

}  // namespace graphed
