// SPDX-License-Identifier: Apache-2.0
//
// One capture at a time in the process: LibTorch's generators have one capturing flag, and a capture stream takes in whatever runs on it.
// A capture may be waiting for autograd's thread of a device: a backward there waits for one only where it runs eagerly on the same stream
// or over the same tensors, and not forever.
#pragma once

#include "report/pages.h"
#include "report/thread_number.h"

#include <graphed/error.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace graphed::impl {

/// As std::recursive_mutex, which a thread that holds it in a fork() can never unlock in the child: it knows its owner by a number that the
/// kernel gives again.
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
      owner_ = no_thread;
      mutex_.unlock();
    }
  }

  bool is_held_here() const { return owner_ == thread_number(); }

 private:
  void take() {
    owner_ = thread_number();
    ++depth_;
  }

  bool take_if(bool is_locked) {
    if (is_locked) {
      take();
    }
    return is_locked;
  }

  std::timed_mutex mutex_;
  std::atomic<uint64_t> owner_{no_thread};
  std::size_t depth_ = 0;
};

/// For which captures, and a capture and a backward, wait for one another, at most: the captured callable may itself wait for the thread
/// that waits.
constexpr std::chrono::seconds longest_wait{30};

/// `whom`: "backward" or "capture".
inline std::string waited_in_vain(const std::string& whom) {
  return "it has waited " + std::to_string(longest_wait.count()) + " seconds for another thread's " + whom +
         ", which may be waiting for it";
}

class capture_lock {
 public:
  /// Not held where the thread holds it already.
  explicit capture_lock(std::try_to_lock_t /*attempt*/) : capture_lock(std::chrono::seconds(0)) {}
  explicit capture_lock(std::chrono::seconds longest) : lock_(mutex(), std::defer_lock) {
    if (!mutex().is_held_here()) {
      static_cast<void>(lock_.try_lock_for(longest));
    }
  }
  /// Waits, but not forever: then throws CaptureError, its message after `prefix`.
  explicit capture_lock(const std::string& prefix) : capture_lock(longest_wait) {
    if (!*this) {
      throw CaptureError(prefix + (mutex().is_held_here() ? "this thread is inside a capture already" : waited_in_vain("capture")) +
                         see(pages::streams_and_threads));
    }
  }
  explicit operator bool() const { return lock_.owns_lock(); }

 private:
  static reentrant_mutex& mutex() {
    static reentrant_mutex process_wide;
    return process_wide;
  }

  std::unique_lock<reentrant_mutex> lock_;
};

/// Captures in which autograd goes back have a stream of their own: autograd's thread of the device may be in another backward just then.
/// What was captured on the other stream can run its backward meanwhile.
enum class capture_lane : uint8_t { usual, with_backwards };

/// Held by a capture, and by an eager backward over one: both may not run on one stream at once. A thread that waits for it may hold the
/// capture lock, and going back through a slot that slot's lock, on autograd's thread of a device too; a thread that holds it may wait for
/// another thread within the callable or the backward. So none waits forever. One thread may hold it several times.
class lane_lock {
 public:
  /// Waits. `lane`: null where there is no stream to meet on.
  explicit lane_lock(reentrant_mutex* lane) {
    if (lane != nullptr) {
      lock_ = std::unique_lock(*lane, longest_wait);
    }
  }
  /// False where it has waited in vain.
  explicit operator bool() const { return lock_.mutex() == nullptr || lock_.owns_lock(); }

 private:
  std::unique_lock<reentrant_mutex> lock_;
};

}  // namespace graphed::impl
