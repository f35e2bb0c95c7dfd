// SPDX-License-Identifier: Apache-2.0
//
// A device that lags behind the host, as it does under load.
#pragma once

#include <c10/core/Device.h>

namespace graphed::testing {

/// Keeps the current stream of a GPU busy for about two milliseconds: many launches' time. Nothing on a CPU.
void lag(c10::Device device);

}  // namespace graphed::testing
