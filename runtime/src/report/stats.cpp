// SPDX-License-Identifier: Apache-2.0
#include <graphed/stats.h>

#include "report/json.h"
#include "report/units.h"

#include <charconv>
#include <numeric>
#include <ostream>
#include <string_view>
#include <utility>

namespace graphed {
using namespace impl;
namespace {

constexpr auto reason_count = static_cast<std::size_t>(Miss::NumReasons);

constexpr std::array<std::pair<Miss, const char*>, reason_count> reasons{{
    {Miss::Dtype, "dtype"},
    {Miss::Shape, "shape"},
    {Miss::Strides, "strides"},
    {Miss::Alignment, "alignment"},
    {Miss::Device, "device"},
    {Miss::RequiresGrad, "requires_grad"},
    {Miss::Undefined, "undefined"},
    {Miss::ListLength, "list_length"},
    {Miss::Address, "address"},
    {Miss::Padding, "padding"},
    {Miss::InferenceTensor, "inference_tensor"},
    {Miss::Overlap, "overlap"},
    {Miss::Slots, "slots"},
    {Miss::CaptureFailed, "capture_failed"},
    {Miss::CaptureBusy, "capture_busy"},
    {Miss::CaptureLimit, "capture_limit"},
    {Miss::Disabled, "disabled"},
    {Miss::Nested, "nested"},
}};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (reasons[i].first != static_cast<Miss>(i)) {
      return false;
    }
  }
  return true;
}
static_assert(is_in_order(), "a reason is missing, or at another place than its enumerator");

// The shortest text that is read back as the same number.
std::string json_number(double number) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

std::string json_number(uint64_t number) { return std::to_string(number); }

class json_object {
 public:
  template <class Number>
  void add(std::string_view key, Number value) {
    add_json(key, json_number(value));
  }
  void add(std::string_view key, const json_object& value) { add_json(key, value.text()); }
  std::string text() const { return "{" + members_ + "}"; }

 private:
  void add_json(std::string_view key, const std::string& value) {
    members_ += (members_.empty() ? "" : ", ") + json_string(key) + ": " + value;
  }

  std::string members_;
};

}  // namespace

const char* to_string(Miss reason) {
  const auto index = static_cast<std::size_t>(reason);
  return index < reasons.size() ? reasons[index].second : "unknown";
}

uint64_t Statistics::miss_count() const { return std::accumulate(misses.begin(), misses.end(), uint64_t{0}); }

std::string Statistics::to_json() const {
  json_object all, by_reason, by_parameter;
  all.add("calls", calls);
  all.add("warmups", warmups);
  all.add("replays", replays);
  all.add("backward_replays", backward_replays);
  all.add("captures", captures);
  all.add("backward_captures", backward_captures);
  all.add("failed_captures", failed_captures);
  all.add("kept_outputs", kept_outputs);
  all.add("verified", verified);
  all.add("differences", differences);
  all.add("bytes_staged", bytes_staged);
  all.add("bytes_held", bytes_held);
  all.add("capture_microseconds", capture_microseconds);
  for (const auto& [reason, name] : reasons) {
    by_reason.add(name, misses[static_cast<std::size_t>(reason)]);
  }
  all.add("misses", by_reason);
  for (const auto& [parameter, count] : misses_by_parameter) {
    by_parameter.add(parameter, count);
  }
  all.add("misses_by_parameter", by_parameter);
  return all.text();
}

std::ostream& operator<<(std::ostream& out, const Statistics& stats) {
  out << "calls " << stats.calls << ": warm-ups " << stats.warmups << ", replays " << stats.replays << ", misses " << stats.miss_count()
      << '\n';
  for (const auto& [reason, name] : reasons) {
    if (const uint64_t count = stats.misses[static_cast<std::size_t>(reason)]; count != 0) {
      out << "  " << name << ": " << count << '\n';
    }
  }
  for (const auto& [parameter, count] : stats.misses_by_parameter) {
    out << "  " << parameter << ": " << count << '\n';
  }
  if (stats.verified != 0) {
    out << "verified " << stats.verified << ", different " << stats.differences << '\n';
  }
  out << "backward replays " << stats.backward_replays;
  return out << "\ncaptures " << stats.captures << " forward, " << stats.backward_captures << " backward, " << stats.failed_captures
             << " failed, " << human_time(stats.capture_microseconds) << "\nbytes staged " << human_bytes(stats.bytes_staged) << ", held "
             << human_bytes(stats.bytes_held) << ", outputs moved " << stats.kept_outputs << '\n';
}

}  // namespace graphed
