// SPDX-License-Identifier: Apache-2.0
//
// When a capture is tried again that has failed: a forward's of one key, or a backward's for one pattern of gradients.
#pragma once

#include "watch/host_part.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>

namespace graphed::impl {

/// Captures that may fail before no more are tried for a while.
constexpr int attempts_of_a_key = 3;
/// Calls between two captures that fail for a reason which may pass, at most: none the first time, then one, then twice as many each time.
/// As many calls follow before the next try when they failed for another reason.
constexpr uint64_t longest_pause = 1024;

enum class next_try : uint8_t {
  next_call,  ///< of three
  after_pause,
  none
};
/// After a pause where a later capture may find it otherwise: there was no memory, another capture, or another thread has synchronized the
/// device.
next_try next_try_after(const std::exception& error);
/// What the error says, with its cause where CUDA does not name that.
std::string words_of_failure(const std::exception& error);

/// A failure, as long as the original function may still throw as well.
struct failed_try {
  int failures_before = 0;
  std::string last_words;       ///< for a warning, where no more are tried; else empty
  thrown_by_host_parts thrown;  ///< in the capture, on a CPU, which has run them
};

struct retry_schedule {
  int failures = 0;
  uint64_t rested = 0;
  uint64_t pause = 0, calls_to_wait = 0;  ///< after a failure that may pass
  uint64_t rest = longest_pause;          ///< calls without a try, once they are over
  std::string refusal;                    ///< why the last capture failed, or none is tried; empty where there is nothing to say

  bool are_over() const { return failures >= attempts_of_a_key; }
  /// For a call once they are over: whether it begins again, with one try, as it has rested. The next rest is twice as long.
  bool begins_again();
  /// For a call that would capture: whether it comes during a pause.
  bool pauses();
  /// Whether no more are tried from now on, after several.
  bool note_failure(std::string why, next_try next);
  /// The original function has thrown as well: that failure shows nothing of captures.
  void take_back(const failed_try& failed) { failures = std::min(failures, failed.failures_before); }
  /// No more are made, because of `why`.
  void end(std::string why) { note_failure(std::move(why), next_try::none); }
  void note_success();
  /// "captures failed 3 times: no more are tried in the next 1024 calls of their key; reset() starts again", of "calls of their key".
  std::string words_of_rest(const std::string& calls) const;
};

}  // namespace graphed::impl
