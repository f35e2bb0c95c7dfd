// SPDX-License-Identifier: Apache-2.0
#include "slot/retry_schedule.h"

#include "backend/backend.h"
#include "report/text.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <new>
#include <utility>

namespace graphed::impl {
namespace {

// The allocator of host memory throws an error without a type of its own.
bool is_out_of_memory(const std::exception& error) {
  return dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr || dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         message_of(error).find("DefaultCPUAllocator: ") != std::string::npos;
}

// As another thread does that synchronizes the device: CUDA reports no more to this one. A call of its own that may not be captured is
// another error.
bool is_invalidated(const std::exception& error) {
  constexpr int32_t stream_capture_invalidated = 901;
  const auto* on_device = dynamic_cast<const c10::AcceleratorError*>(&error);
  return dynamic_cast<const invalidated_capture*>(&error) != nullptr ||
         (on_device != nullptr && on_device->get_error_code() == stream_capture_invalidated);
}

}  // namespace

next_try next_try_after(const std::exception& error) {
  const bool may_pass = is_out_of_memory(error) || dynamic_cast<const foreign_capture*>(&error) != nullptr || is_invalidated(error);
  return may_pass ? next_try::after_pause : next_try::next_call;
}

std::string words_of_failure(const std::exception& error) {
  return message_of(error) + (is_invalidated(error) ? ", perhaps by another thread that synchronized the device" : "");
}

bool retry_schedule::begins_again() {
  if (++rested < rest) {
    return false;
  }
  failures = attempts_of_a_key - 1;
  rested = 0;
  rest *= 2;
  return true;
}

bool retry_schedule::pauses() {
  const bool still = calls_to_wait != 0;
  calls_to_wait -= still ? 1 : 0;
  return still;
}

bool retry_schedule::note_failure(std::string why, next_try next) {
  refusal = std::move(why);
  if (next == next_try::after_pause) {
    calls_to_wait = pause;
    pause = std::min(std::max<uint64_t>(2 * pause, 1), longest_pause);
    return false;
  }
  failures = next == next_try::none ? attempts_of_a_key : failures + 1;
  return next != next_try::none && are_over();
}

void retry_schedule::note_success() {
  pause = 0;
  refusal.clear();
}

std::string retry_schedule::words_of_rest(const std::string& calls) const {
  return "captures failed " + std::to_string(attempts_of_a_key) + " times: no more are tried in the next " + std::to_string(rest) + " " +
         calls + "; reset() starts again";
}

}  // namespace graphed::impl
