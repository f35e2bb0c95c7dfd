// SPDX-License-Identifier: Apache-2.0
//
// What the runtime tells: warnings through LibTorch's handler, and with GRAPHED_LOG lines on standard error.
#pragma once

#include "environment.h"

#include <graphed/spec.h>

#include <string>

namespace graphed {

/// "graphed: app::policy (policy.h:7): "
std::string message_prefix(const callable_spec& spec);

inline bool is_logged(log_level level) { return environment::get().log >= level; }

/// Warns through LibTorch's warning handler, unless GRAPHED_LOG is off.
void warn(const std::string& message);
/// One line on standard error, whole even where several threads log. Ask is_logged() first.
void log(const callable_spec& spec, const std::string& message);

}  // namespace graphed
