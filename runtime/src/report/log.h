// SPDX-License-Identifier: Apache-2.0
//
// What the runtime writes: warnings, and the lines that GRAPHED_LOG asks for.
#pragma once

#include "report/environment.h"

#include <graphed/impl/spec.h>
#include <graphed/log.h>

#include <string>

namespace graphed::impl {

/// "graphed: app::policy (policy.h:7): "
std::string message_prefix(const CallableSpec& spec);

inline bool is_logged(LogLevel level) { return environment::get().log >= level; }

/// Warns through the log handler, or LibTorch's warning handler where there is none, unless GRAPHED_LOG is off. Throws what the latter
/// throws.
void warn(const std::string& message);
/// One line for the log handler, or on standard error where there is none, whole even where several threads log. Ask is_logged() first.
void log(LogLevel level, const CallableSpec& spec, const std::string& message);

/// Whether this thread is running the log handler.
bool inside_log_handler();

}  // namespace graphed::impl
