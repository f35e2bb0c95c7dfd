// SPDX-License-Identifier: Apache-2.0
#include "backend/captured_graph.h"
#include "report/log.h"
#include "report/pages.h"

#include <graphed/disable.h>
#include <graphed/error.h>

#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace graphed::impl {
namespace {

using hook_pointer = std::shared_ptr<const Hook>;  // shared by its handle and the calls under way

class hooks_of_event {
 public:
  bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }

  void add(const hook_pointer& added) {
    const std::lock_guard lock(mutex_);
    hooks_.emplace_back(added);
    count_ = hooks_.size();
  }

  /// Those that have their handles, but for one that is removed.
  std::vector<hook_pointer> keep(const hook_pointer& removed = nullptr) {
    std::vector<hook_pointer> kept;  // what one holds that has just lost its handle dies after the lock
    const std::lock_guard lock(mutex_);
    for (auto each = hooks_.begin(); each != hooks_.end();) {
      auto hook = each->lock();
      const bool is_kept = hook && hook != removed;
      each = is_kept ? each + 1 : hooks_.erase(each);
      if (is_kept) {
        kept.push_back(std::move(hook));
      }
    }
    count_ = hooks_.size();
    return kept;
  }

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<const Hook>> hooks_;
  std::atomic<std::size_t> count_{0};
};

// Never destroyed: graphs in static storage report their end after everything else.
hooks_of_event& hooks_of(GraphEvent event) {
  static auto& table = *new std::array<hooks_of_event, 6>;
  return table[static_cast<std::size_t>(event)];
}

thread_local bool running = false;

void call_hook(const hook_pointer& hook, const EventInfo& event) {
  std::string what;
  try {
    return (*hook)(event);
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
    what = "an exception that is not a std::exception";
  }
  hooks_of(event.event).keep(hook);
  warn(std::string("graphed: a hook on ") + to_string(event.event) + " threw and is removed: " + what + see(pages::standalone));
}

}  // namespace

bool inside_hook() { return running; }

void notify(const EventInfo& event) noexcept {
  auto& hooks = hooks_of(event.event);
  if (hooks.empty() || running) {
    return;
  }
  const DisableGuard callables_run_plainly;
  running = true;
  try {
    for (const auto& hook : hooks.keep()) {
      call_hook(hook, event);
    }
  } catch (...) {  // a warning handler of the user's that throws
  }
  running = false;
}

}  // namespace graphed::impl

namespace graphed {
using namespace impl;

const char* to_string(GraphEvent event) {
  constexpr std::array names{"capture_begin", "capture_end", "instantiate", "replay_begin", "replay_end", "destroy"};
  const auto index = static_cast<std::size_t>(event);
  return index < names.size() ? names[index] : "unknown";
}

HookHandle add_hook(GraphEvent event, Hook function) {
  if (!function) {
    throw Error(std::string("graphed: add_hook: the hook on ") + to_string(event) + " is an empty function");
  }
  HookHandle handle;
  handle.hook_ = std::make_shared<const Hook>(std::move(function));
  hooks_of(event).add(handle.hook_);
  return handle;
}

}  // namespace graphed
