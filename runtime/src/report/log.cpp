// SPDX-License-Identifier: Apache-2.0
#include "report/log.h"

#include <graphed/disable.h>

#include <c10/util/Exception.h>

#include <exception>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <typeinfo>
#include <utility>
#include <vector>

namespace graphed::impl {
namespace {

class shared_log_handler {
 public:
  using pointer = std::shared_ptr<const LogHandler>;  // shared with the calls under way

  pointer get() {
    const std::lock_guard lock(mutex_);
    return handler_;
  }
  pointer exchange(pointer replacement) {
    const std::lock_guard lock(mutex_);
    handler_.swap(replacement);
    return replacement;
  }
  void remove(const pointer& removed) {
    pointer dropped;  // what it holds dies after the lock
    const std::lock_guard lock(mutex_);
    if (handler_ == removed) {
      dropped.swap(handler_);
    }
  }

 private:
  std::mutex mutex_;
  pointer handler_;
};

// Never destroyed: the destructors of objects in static storage warn.
shared_log_handler& current_log_handler() {
  static auto& made = *new shared_log_handler;
  return made;
}

thread_local bool is_handling = false;

// LibTorch's own handler begins with the place of the code that warns, which is always this file.
void write_warning(const std::string& line) {
  const c10::WarningHandler& handler = *c10::WarningUtils::get_warning_handler();
  if (typeid(handler) == typeid(c10::WarningHandler)) {
    std::cerr << "warning: " + line + "\n" << std::flush;
  } else {
    TORCH_WARN(line);
  }
}

void write_line(LogLevel level, const std::string& line) {
  if (level == LogLevel::Warnings) {
    write_warning(line);
  } else {
    std::cerr << line + "\n" << std::flush;
  }
}

// The text of what the handler throws.
std::optional<std::string> handle(const LogHandler& handler, LogLevel level, const std::string& line) {
  const DisableGuard callables_run_plainly;
  is_handling = true;
  std::optional<std::string> thrown;
  try {
    handler(level, line);
  } catch (const std::exception& error) {
    thrown = error.what();
  } catch (...) {
    thrown = "an exception that is not a std::exception";
  }
  is_handling = false;
  return thrown;
}

// Never destroyed with the thread: a line may come after that.
thread_local std::vector<std::pair<LogLevel, std::string>>* waiting = nullptr;

void deliver(LogLevel level, const std::string& line) {
  if (waiting_lines::locks != 0) {
    waiting = waiting == nullptr ? new std::vector<std::pair<LogLevel, std::string>> : waiting;
    waiting->emplace_back(level, line);
    waiting_lines::are_there = true;
    return;
  }
  const auto handler = is_handling ? nullptr : current_log_handler().get();
  if (!handler) {
    return write_line(level, line);
  }
  if (const auto thrown = handle(*handler, level, line)) {
    current_log_handler().remove(handler);
    write_line(level, line);
    write_line(LogLevel::Warnings, "graphed: the log handler threw and is removed: " + *thrown);
  }
}

}  // namespace

void waiting_lines::deliver() noexcept {
  are_there = false;
  const std::unique_ptr<std::vector<std::pair<LogLevel, std::string>>> lines(std::exchange(waiting, nullptr));
  for (const auto& [level, line] : *lines) {
    try {
      impl::deliver(level, line);
    } catch (...) {
    }
  }
}

std::string message_prefix(const CallableSpec& spec) {
  const std::string place = spec.line == 0 ? "" : std::string(" (") + spec.file + ":" + std::to_string(spec.line) + ")";
  return std::string("graphed: ") + spec.name + place + ": ";
}

void warn(const std::string& message) {
  if (is_logged(LogLevel::Warnings)) {
    deliver(LogLevel::Warnings, message);
  }
}

void log(LogLevel level, const CallableSpec& spec, const std::string& message) { deliver(level, message_prefix(spec) + message); }

bool inside_log_handler() { return is_handling; }

}  // namespace graphed::impl

namespace graphed {
using namespace impl;

LogHandler set_log_handler(LogHandler handler) {
  const auto former = current_log_handler().exchange(handler ? std::make_shared<const LogHandler>(std::move(handler)) : nullptr);
  return former ? *former : LogHandler();
}

}  // namespace graphed
