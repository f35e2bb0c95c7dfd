// SPDX-License-Identifier: Apache-2.0
//
// What a graphed callable did, in counts since it was made or reset.
#pragma once

#include <graphed/export.h>

#include <array>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace graphed {

/// Why a call ran the original function instead of a graph. docs/reference/statistics.md says what to do about each.
enum class Miss {
  Dtype,
  Shape,
  Strides,
  Alignment,
  Device,
  RequiresGrad,
  Undefined,
  ListLength,
  Sizes,            ///< a dimension variable `B in any 4` has as many other values from calls as it may have
  Address,          ///< a `static` argument has moved
  Padding,          ///< a result cannot be cut down to a smaller call's
  InferenceTensor,  ///< an inference tensor outside inference mode
  Overlap,          ///< a tensor that is written shares memory with an argument
  Slots,            ///< every slot awaits its backward
  CaptureFailed,    ///< a capture failed, on this call or for good
  CaptureBusy,      ///< another thread was capturing
  CaptureLimit,     ///< the callable has been captured as often as is allowed
  Disabled,         ///< inside a graphed::DisableGuard scope, or a hook; or it calls a backward, in anomaly mode
  Nested,           ///< inside a capture, or inside another callable's warm-up
  NewKey,           ///< the key is another one in call after call, and none comes often enough to be captured
  NumReasons
};

/// "capture_failed" of Miss::CaptureFailed: the word of the printed text, of JSON and of the documents.
GRAPHED_API const char* to_string(Miss reason);

/// Counts of calls and events, but where a unit is named.
struct GRAPHED_API Statistics {
  uint64_t calls = 0;
  uint64_t warmups = 0;             ///< eager calls ahead of a key's first capture
  uint64_t replays = 0;             ///< forwards that were one graph; on a CPU the recording counts as well
  uint64_t backward_replays = 0;    ///< backwards that were one graph
  uint64_t captures = 0;            ///< of forwards
  uint64_t backward_captures = 0;   ///< one for each pattern of incoming gradients
  uint64_t failed_captures = 0;     ///< of forwards and backwards
  uint64_t fused_operators = 0;     ///< pointwise operators of captures whose kernels were left out of the graph
  uint64_t fused_kernels = 0;       ///< kernels that do what those would have done
  uint64_t kept_outputs = 0;        ///< outputs and gradients that were moved, because they were still held
  uint64_t bytes_moved = 0;         ///< bytes of those
  uint64_t verified = 0;            ///< forwards and backwards that GRAPHED_VERIFY compared with the original function
  uint64_t differences = 0;         ///< of those, how many left something else behind
  uint64_t bytes_staged = 0;        ///< bytes copied into static inputs and static gradients
  uint64_t bytes_held = 0;          ///< bytes of static inputs, outputs and what the graphs keep, now
  uint64_t bytes_pinned = 0;        ///< bytes of pinned memory of the host, for `host` arguments and results, now
  double capture_microseconds = 0;  ///< microseconds of the host spent on captures, failed ones among them
  std::array<uint64_t, static_cast<std::size_t>(Miss::NumReasons)> misses{};
  std::map<std::string, uint64_t> misses_by_parameter;  ///< "x: shape" -> count
  /// Why captures failed, or none is tried, in the words of the warning -> count. The first 16 of them.
  std::map<std::string, uint64_t> capture_failures;
  /// The values that calls have used for each dimension variable like `B in any 4`, in their order.
  std::map<std::string, std::vector<int64_t>> sizes;

  uint64_t miss_count() const;

  /// One JSON object on one line, in UTF-8. Its keys are the members' names, its numbers are exact; `misses` is an object with a key for
  /// each reason. docs/reference/statistics.md lists the keys. Later versions may add some, and keep those.
  std::string to_json() const;
};

/// Some lines for a reader, with rounded sizes and times.
GRAPHED_API std::ostream& operator<<(std::ostream& out, const Statistics& stats);

}  // namespace graphed
