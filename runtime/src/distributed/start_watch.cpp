// SPDX-License-Identifier: Apache-2.0
#include "distributed/start_watch.h"

#include "report/log.h"
#include "report/pages.h"
#include "report/text.h"

#include <exception>
#include <utility>

namespace graphed::impl {

start_watch::start_watch(std::string waiting, std::chrono::milliseconds limit, std::function<std::string()> missing)
    : waiting_(std::move(waiting)), limit_(limit), missing_(std::move(missing)), thread_([this] { run(); }) {}

start_watch::~start_watch() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ending_.notify_all();
  thread_.join();
}

void start_watch::run() {
  constexpr std::chrono::seconds first{5};
  constexpr int rarer = 4;
  std::unique_lock lock(mutex_);
  for (auto pause = first; !ending_.wait_for(lock, pause, [this] { return ends_; }); pause *= rarer) {
    lock.unlock();  // what takes the warning may wait for the start
    try {
      if (const std::string missing = missing_(); !missing.empty()) {
        warn(waiting_ + missing + " to start; the limit is " + human_time(1e3 * static_cast<double>(limit_.count())) +
             see(pages::distributed));
      }
    } catch (const std::exception&) {  // of the store: a rank that waits gets it; or of a warning handler of the user's
    }
    lock.lock();
  }
}

}  // namespace graphed::impl
