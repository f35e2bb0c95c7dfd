// SPDX-License-Identifier: Apache-2.0
#include "watch/host_reads.h"

#include "watch/recorder.h"

#include <graphed/error.h>

#include <c10/util/Exception.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace graphed::impl {
namespace {

constexpr std::size_t most_reads = 1024;

/// Of floating point and integers, apart by their integers. A float has all its digits; a double more of them, so that a detour by float is
/// seen; an integer more than a float. Few enough for a loop that runs so often.
constexpr double float_base = 1234567.125, double_base = float_base + 1.0 / (1 << 30);
constexpr int64_t positive_integer_base = 70003, negative_integer_base = -1234567891;
constexpr int64_t large_integer_base = (int64_t(1) << 32) + 8192, large_integer_step = 4097;  // apart as floats too, and as bytes

bool is_truth(const HostRead& each) { return each.given.isBoolean(); }

bool tells_apart(placeholders given) { return given >= placeholders::positive; }

}  // namespace

bool host_reads_of_run::can_read(at::ScalarType dtype) {
  switch (dtype) {
    case at::kDouble:
    case at::kFloat:
    case at::kHalf:
    case at::kBFloat16:
    case at::kLong:
    case at::kInt:
    case at::kBool:
      return true;
    default:
      return false;
  }
}

c10::Scalar host_reads_of_run::placeholder_of(at::ScalarType dtype) const {
  const auto index = static_cast<int64_t>(all_.size());
  const bool is_large = given_ == placeholders::large;
  const bool is_zero = given_ == placeholders::zero, is_positive = given_ == placeholders::positive || is_large;
  if (is_large && dtype == at::kLong) {
    return large_integer_base + large_integer_step * index;
  }
  if (dtype == at::kBool) {
    return is_positive;
  }
  if (!at::isFloatingType(dtype)) {
    return is_zero ? 0 : is_positive ? positive_integer_base + index : negative_integer_base + 8 * index;
  }
  if (given_ == placeholders::not_a_number) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (given_ == placeholders::infinite) {
    return std::numeric_limits<double>::infinity();
  }
  if (is_zero) {
    return 0.0;
  }
  const double size = (dtype == at::kDouble ? double_base : float_base) + static_cast<double>(index);
  return is_positive ? size : -size;
}

c10::Scalar host_reads_of_run::read(at::Tensor copy, const c10::Scalar& number) {
  const auto dtype = copy.scalar_type();
  if (gives_placeholders()) {
    if (all_.size() == most_reads) {
      throw CaptureError("it reads more than " + std::to_string(most_reads) + " numbers of tensors: return the tensors");
    }
    if (!all_.empty() && (dtype == at::kBool || std::any_of(all_.begin(), all_.end(), is_truth))) {
      throw CaptureError("it reads a truth value of a tensor beside other numbers: return the tensor, and read it after the call");
    }
  }
  all_.push_back({gives_placeholders() ? placeholder_of(dtype) : number, std::move(copy)});
  return all_.back().given;
}

bool host_reads_of_run::note_truth_value(bool value) {
  if (std::any_of(all_.begin(), all_.end(), is_truth)) {
    return false;
  }
  truth_values_.push_back(value);
  return true;
}

rehearsal::rehearsal(placeholders given, operator_trace trace, const std::vector<at::Tensor>& results, const host_reads_of_run& of_run)
    : given(given), trace(std::move(trace)), truth_values(of_run.truth_values()) {
  const std::vector<HostRead>& reads = of_run.all();
  has_wide_integers = std::any_of(reads.begin(), reads.end(), [](const HostRead& each) { return each.from.scalar_type() == at::kLong; });
  for (const auto& result : results) {
    const auto found = std::find_if(reads.begin(), reads.end(), [&](const HostRead& each) { return each.from.is_same(result); });
    if (found != reads.end()) {
      sources.push_back(static_cast<std::size_t>(found - reads.begin()));
    }
  }
}

placeholders rehearsal::next() const {
  const auto after = static_cast<placeholders>(static_cast<int>(given) + 1);
  return after == placeholders::large && !has_wide_integers ? placeholders::negative : after;
}

void rehearsal::check_same(const rehearsal& other) const {
  if (!trace.first_difference(other.trace).text.empty()) {
    throw CaptureError(
        "a number that it reads of a tensor decides what it does: keep it a tensor, or return the tensor and read it after the call");
  }
  if (truth_values != other.truth_values) {
    throw CaptureError(
        "a number that it reads of a tensor decides a truth value of its result: return the tensor, and compare after the call");
  }
  const bool are_told_apart = tells_apart(given) && tells_apart(other.given);
  if (sources.size() != other.sources.size() || (are_told_apart && sources != other.sources)) {
    throw CaptureError("a number that it reads of a tensor decides which number it returns: return the tensor, and read it after the call");
  }
}

c10::ArrayRef<HostRead> host_reads() {
  const auto seen = active_recording();
  const host_reads_of_run* const reads = seen == nullptr ? nullptr : seen->host_reads();
  return reads == nullptr ? c10::ArrayRef<HostRead>() : reads->all();
}

bool narrows_integers() {
  const auto seen = active_recording();
  return seen != nullptr && seen->host_reads() != nullptr && seen->host_reads()->narrows();
}

bool is_compared() {
  const auto seen = active_recording();
  return seen != nullptr && seen->host_reads() != nullptr && !seen->host_reads()->gives_placeholders();
}

bool notes_truth_value(bool value) {
  const auto seen = active_recording();
  return seen != nullptr && seen->note_truth_value(value);
}

void refuse_unread_number() {
  if (inside_capture()) {
    throw CaptureError(
        "a number in its result is computed on the host from what item() gave: return the tensor instead, and compute the number after the "
        "call");
  }
}

}  // namespace graphed::impl
