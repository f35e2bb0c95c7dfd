// SPDX-License-Identifier: Apache-2.0
//
// Calling the hooks.
#pragma once

#include <graphed/hooks.h>

namespace graphed {

/// Without hooks for the event: one load.
void notify(const event_info& event) noexcept;

/// Whether this thread is running a hook.
bool inside_hook();

}  // namespace graphed
