// SPDX-License-Identifier: Apache-2.0
//
// Where the lines go that the runtime writes: warnings, and what the environment variable GRAPHED_LOG asks for
// (docs/reference/environment.md).
//
// Python: torch._logging is the nearest; c10::WarningUtils takes LibTorch's warnings, one thread at a time.
#pragma once

#include <graphed/export.h>

#include <functional>
#include <string_view>

namespace graphed {

/// The values of GRAPHED_LOG. A line's level is the first one at which the line is written.
enum class LogLevel {
  Off,       ///< of no line
  Warnings,  ///< misses, failed captures, differences that GRAPHED_VERIFY finds, hooks that throw, ...
  Captures,  ///< one line for each capture
  Calls,     ///< one line for each call
};

/// Takes one line, such as "graphed: app::policy (policy.h:7): replays". The line has no newline at its end, and may have some inside,
/// where it quotes an error's text. It is valid until the handler returns.
using LogHandler = std::function<void(LogLevel level, std::string_view line)>;

/// From now on `handler` takes the lines of all threads, instead of the default: warnings go through LibTorch's TORCH_WARN, other lines to
/// standard error. Returns the handler before, which is empty where there was none; an empty `handler` goes back to that. GRAPHED_LOG
/// decides which lines there are: with `off` none, without it warnings only.
///
/// Threads: any thread may call this. Lines of several threads may come at once, on the thread that each is about: the calling one, or
/// autograd's for a device.
///
/// Lifetime: the process keeps the handler, and calls it until another one is set, also while objects in static storage are destroyed. A
/// call that another thread has begun may still be under way when this returns. What the handler refers to must live as long: let it own
/// that by a std::shared_ptr, or refer to what is never destroyed.
///
/// Inside a handler: stats() and explain() may be called, and graphed callables, which run the original function as under DisableGuard;
/// graphs cannot be captured or instantiated (that throws graphed::Error). Lines that come up there are written as without a handler. A
/// handler must neither wait for other threads that use graphed, nor use the device: the line may come while a capture ends.
///
/// Exceptions: one that a handler throws does not leave the runtime. That handler is removed, unless another one was set meanwhile; its
/// line, and a warning that quotes the exception, are written as without a handler.
GRAPHED_API LogHandler set_log_handler(LogHandler handler);

}  // namespace graphed
