// SPDX-License-Identifier: Apache-2.0
#include <graphed/disable.h>

#include "report/environment.h"

namespace graphed {
namespace {

thread_local int depth = 0;

}  // namespace

disable::disable() noexcept { ++depth; }

disable::~disable() { --depth; }

bool is_disabled() { return depth != 0 || environment::get().disable; }

}  // namespace graphed
