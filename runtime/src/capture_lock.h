// SPDX-License-Identifier: Apache-2.0
//
// One capture at a time in the process: LibTorch's generators have one capturing flag, and a capture stream takes in whatever runs on it.
#pragma once

#include <mutex>

namespace graphed {

class capture_lock {
 public:
  /// Waits. Not for a forward, whose callable may wait for the thread that captures.
  capture_lock() : lock_(mutex()) {}
  explicit capture_lock(std::try_to_lock_t attempt) : lock_(mutex(), attempt) {}
  explicit operator bool() const { return lock_.owns_lock(); }

 private:
  static std::mutex& mutex() {
    static std::mutex process_wide;
    return process_wide;
  }
  std::unique_lock<std::mutex> lock_;
};

}  // namespace graphed
