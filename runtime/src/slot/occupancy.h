// SPDX-License-Identifier: Apache-2.0
//
// Who has a slot: nobody, or a call, whose forward is under way or whose backward is to come. Others of the pool may move what the slot has
// handed out in between, but never during a forward.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace graphed::impl {

class occupancy {
 public:
  /// For a call whose forward begins. False where another has the slot. Waits for a pause of another thread.
  bool try_take() {
    while (true) {
      uint8_t found = 0;
      if (state_.compare_exchange_weak(found, taken | in_forward)) {
        return true;
      }
      if ((found & taken) != 0 || (found != 0 && pausing_ == std::this_thread::get_id())) {
        return false;
      }
      std::this_thread::yield();
    }
  }
  void end_forward() { state_ &= static_cast<uint8_t>(~in_forward); }
  void let_go() { state_ &= paused; }

  /// While it lives, and is no failure, no forward begins.
  class pause {
   public:
    explicit pause(occupancy& of) : of_(of) {
      uint8_t found = of_.state_;
      while ((found & (in_forward | paused)) == 0) {
        if (of_.state_.compare_exchange_weak(found, found | paused)) {
          of_.pausing_ = std::this_thread::get_id();
          holds_ = true;
          is_taken_ = (found & taken) != 0;
          return;
        }
      }
    }
    ~pause() {
      if (holds_) {
        of_.pausing_ = std::thread::id();
        of_.state_ &= static_cast<uint8_t>(~paused);
      }
    }
    pause(const pause&) = delete;
    pause& operator=(const pause&) = delete;
    /// False where a forward is under way.
    explicit operator bool() const { return holds_; }
    /// Whether a call awaits its backward.
    bool is_taken() const { return is_taken_; }

   private:
    occupancy& of_;
    bool holds_ = false, is_taken_ = false;
  };

 private:
  static constexpr uint8_t taken = 1, in_forward = 2, paused = 4;

  std::atomic<uint8_t> state_{0};
  std::atomic<std::thread::id> pausing_{};
};

}  // namespace graphed::impl
