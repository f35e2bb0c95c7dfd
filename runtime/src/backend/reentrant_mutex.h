// SPDX-License-Identifier: Apache-2.0
//
// A mutex that its owner may lock several times.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <thread>

namespace graphed::impl {

/// As std::recursive_mutex, which a thread that holds it in a fork() can never unlock in the child: it knows its owner by a number that the
/// kernel gives anew.
class reentrant_mutex {
 public:
  void lock() {
    if (!is_held_here()) {
      mutex_.lock();
    }
    take();
  }
  bool try_lock() { return take_if(is_held_here() || mutex_.try_lock()); }
  bool try_lock_for(std::chrono::seconds longest) { return take_if(is_held_here() || mutex_.try_lock_for(longest)); }
  void unlock() {
    if (--depth_ == 0) {
      owner_ = std::thread::id();
      mutex_.unlock();
    }
  }

  bool is_held_here() const { return owner_ == std::this_thread::get_id(); }

 private:
  void take() {
    owner_ = std::this_thread::get_id();
    ++depth_;
  }

  bool take_if(bool is_locked) {
    if (is_locked) {
      take();
    }
    return is_locked;
  }

  std::timed_mutex mutex_;
  std::atomic<std::thread::id> owner_{};
  std::size_t depth_ = 0;
};

}  // namespace graphed::impl
