// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace graphed::impl {

/// From now on, the report has the callables that are alive.
void report_living_callables();

}  // namespace graphed::impl
