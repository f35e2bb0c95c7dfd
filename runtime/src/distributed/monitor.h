// SPDX-License-Identifier: Apache-2.0
//
// A thread that signals to the other ranks that this one is alive, and learns which of them is not.
#pragma once

#include "distributed/board.h"

#include <c10/core/Device.h>
#include <c10/core/Event.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace graphed::impl {

/// The last collective that was queued on a device.
class last_collective {
 public:
  explicit last_collective(c10::Device device) : device_(device) {}
  /// It was, on the current stream.
  void note();
  /// Its number while the device is not through with it; 0 where it is.
  uint64_t unfinished();

 private:
  const c10::Device device_;
  std::mutex mutex_;
  uint64_t number_ = 0;
  std::optional<c10::Event> event_;
};

/// Each rank watches the one after it, and informs all. Where the device waits for a rank that has failed, which the host cannot end, the
/// process is ended, with a message.
class monitor {
 public:
  monitor(std::shared_ptr<board> ranks, std::shared_ptr<last_collective> last);
  ~monitor();
  monitor& operator=(monitor&&) = delete;

 private:
  class watch;
  void run(watch& watch);

  const std::shared_ptr<board> board_;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace graphed::impl
