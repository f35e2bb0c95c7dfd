// SPDX-License-Identifier: Apache-2.0
//
// One capture at a time in the process: LibTorch's generators have one capturing flag. Never waits, so that a callable which waits for another
// thread cannot deadlock with that thread's capture.
#pragma once

#include <mutex>

namespace graphed {

class capture_lock {
 public:
  capture_lock() : lock_(mutex(), std::try_to_lock) {}
  explicit operator bool() const { return lock_.owns_lock(); }

 private:
  static std::mutex& mutex() {
    static std::mutex process_wide;
    return process_wide;
  }
  std::unique_lock<std::mutex> lock_;
};

} // namespace graphed
