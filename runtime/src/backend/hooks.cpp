// SPDX-License-Identifier: Apache-2.0
#include "backend/hook_table.h"
#include "report/log.h"
#include "report/pages.h"

#include <graphed/disable.h>
#include <graphed/error.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace graphed {
namespace {

struct registered_hook {
  uint64_t number;
  std::shared_ptr<const hook> function;  // shared with the calls under way
};

class hooks_of_event {
 public:
  bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }

  void add(registered_hook added) {
    const std::lock_guard lock(mutex_);
    hooks_.push_back(std::move(added));
    count_ = hooks_.size();
  }

  void remove(uint64_t number) {
    std::shared_ptr<const hook> dropped;  // what it holds dies after the lock
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(hooks_.begin(), hooks_.end(), [&](const auto& entry) { return entry.number == number; });
    if (found != hooks_.end()) {
      dropped = std::move(found->function);
      hooks_.erase(found);
    }
    count_ = hooks_.size();
  }

  std::vector<registered_hook> now() {
    const std::lock_guard lock(mutex_);
    return hooks_;
  }

 private:
  std::mutex mutex_;
  std::vector<registered_hook> hooks_;
  std::atomic<std::size_t> count_{0};
};

// Never destroyed: graphs in static storage report their end after everything else.
hooks_of_event& hooks_of(graph_event event) {
  static auto& table = *new std::array<hooks_of_event, 6>;
  return table[static_cast<std::size_t>(event)];
}

thread_local bool running = false;

void drop(const registered_hook& thrower, graph_event event, const std::string& what) {
  hooks_of(event).remove(thrower.number);
  warn(std::string("graphed: a hook on ") + to_string(event) + " threw and is removed: " + what + see(pages::standalone));
}

void call_hook(const registered_hook& entry, const event_info& event) {
  try {
    (*entry.function)(event);
  } catch (const std::exception& error) {
    drop(entry, event.event, error.what());
  } catch (...) {
    drop(entry, event.event, "an exception that is no std::exception");
  }
}

}  // namespace

const char* to_string(graph_event event) {
  constexpr std::array names{"capture begin", "capture end", "instantiate", "replay begin", "replay end", "destroy"};
  const auto index = static_cast<std::size_t>(event);
  return index < names.size() ? names[index] : "unknown";
}

bool inside_hook() { return running; }

void notify(const event_info& event) noexcept {
  auto& hooks = hooks_of(event.event);
  if (hooks.empty() || running) {
    return;
  }
  const disable callables_run_plainly;
  running = true;
  try {
    for (const auto& entry : hooks.now()) {
      call_hook(entry, event);
    }
  } catch (...) {  // a warning handler of the user's that throws
  }
  running = false;
}

hook_handle add_hook(graph_event event, hook function) {
  if (!function) {
    throw error(std::string("graphed: add_hook: the hook on ") + to_string(event) + " is an empty function");
  }
  static std::atomic<uint64_t> numbers{0};
  const uint64_t number = ++numbers;
  hook_handle handle;
  handle.registered_ = {nullptr, [event, number](void*) { hooks_of(event).remove(number); }};
  hooks_of(event).add({number, std::make_shared<const hook>(std::move(function))});
  return handle;
}

}  // namespace graphed
