// SPDX-License-Identifier: Apache-2.0
//
// What the runtime writes: warnings, and the lines that GRAPHED_LOG asks for.
#pragma once

#include "report/environment.h"

#include <graphed/impl/spec.h>
#include <graphed/log.h>

#include <mutex>
#include <string>

namespace graphed::impl {

/// What this thread has to say while it holds a lock: a handler may call what takes that.
struct waiting_lines {
  /// Of the locks that it holds. In the library's own part of a thread's storage, which one instruction reaches.
  [[gnu::tls_model("initial-exec")]] static inline thread_local int locks = 0;
  [[gnu::tls_model("initial-exec")]] static inline thread_local bool are_there = false;
  /// In their order. What a handler of LibTorch's warnings throws goes no further.
  static void deliver() noexcept;
};

/// As std::mutex, for locks under which no code of the program runs: lines of a thread that holds one are delivered when it holds none.
class quiet_mutex {
 public:
  void lock() {
    mutex_.lock();
    ++waiting_lines::locks;
  }
  bool try_lock() {
    const bool is_held = mutex_.try_lock();
    waiting_lines::locks += is_held ? 1 : 0;
    return is_held;
  }
  void unlock() {
    mutex_.unlock();
    if (--waiting_lines::locks == 0 && waiting_lines::are_there) {
      waiting_lines::deliver();
    }
  }

 private:
  std::mutex mutex_;
};

/// "graphed: app::policy (policy.h:7): "
std::string message_prefix(const CallableSpec& spec);

inline bool is_logged(LogLevel level) { return environment::get().log >= level; }

/// Warns through the log handler, or LibTorch's warning handler where there is none, unless GRAPHED_LOG is off. Throws what the latter
/// throws, but where the line waits for the end of a lock.
void warn(const std::string& message);
/// One line for the log handler, or on standard error where there is none, whole even where several threads log. Ask is_logged() first.
void log(LogLevel level, const CallableSpec& spec, const std::string& message);

/// Whether this thread is running the log handler.
bool inside_log_handler();

}  // namespace graphed::impl
