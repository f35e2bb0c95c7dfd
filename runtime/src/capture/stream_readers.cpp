// SPDX-License-Identifier: Apache-2.0
#include "capture/stream_readers.h"

#include <algorithm>
#include <utility>

namespace graphed::impl {

void stream_readers::add(const c10::Stream& stream) {
  const std::lock_guard lock(mutex_);
  if (std::find(streams_.begin(), streams_.end(), stream) == streams_.end()) {
    streams_.push_back(stream);
  }
  is_empty_.store(false, std::memory_order_release);
  are_any_.store(true, std::memory_order_release);
}

std::vector<c10::Stream> stream_readers::all() const {
  const std::lock_guard lock(mutex_);
  return streams_;
}

std::vector<c10::Stream> stream_readers::take() {
  if (is_empty()) {
    return {};
  }
  const std::lock_guard lock(mutex_);
  is_empty_.store(true, std::memory_order_release);
  return std::exchange(streams_, {});
}

}  // namespace graphed::impl
