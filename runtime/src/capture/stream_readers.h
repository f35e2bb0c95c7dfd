// SPDX-License-Identifier: Apache-2.0
//
// Which streams read memory besides those of the calls that write it.
#pragma once

#include <c10/core/Stream.h>

#include <atomic>
#include <mutex>
#include <vector>

namespace graphed::impl {

/// Thread safety: all members.
class stream_readers {
 public:
  /// Whether any memory of the process has ever had one.
  static bool are_any() { return are_any_.load(std::memory_order_acquire); }
  bool is_empty() const { return is_empty_.load(std::memory_order_acquire); }
  std::vector<c10::Stream> all() const;
  void add(const c10::Stream& stream);
  /// Those that were added since the last time.
  std::vector<c10::Stream> take();

 private:
  static inline std::atomic<bool> are_any_{false};
  std::atomic<bool> is_empty_{true};
  mutable std::mutex mutex_;
  std::vector<c10::Stream> streams_;
};

}  // namespace graphed::impl
