// SPDX-License-Identifier: Apache-2.0
//
// A thread that says for whom a rank waits until all have started.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace graphed::impl {

/// While it lives, it warns once after five seconds, and then ever more seldom.
class start_watch {
 public:
  /// `waiting`: "rank 1 waits at 127.0.0.1:29500 for ". `missing`: "rank 0", or empty where none is. The thread asks it.
  start_watch(std::string waiting, std::chrono::milliseconds limit, std::function<std::string()> missing);
  ~start_watch();
  start_watch& operator=(start_watch&&) = delete;

 private:
  void run();

  const std::string waiting_;
  const std::chrono::milliseconds limit_;
  const std::function<std::string()> missing_;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace graphed::impl
