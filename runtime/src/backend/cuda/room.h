// SPDX-License-Identifier: Apache-2.0
//
// Memory that the caching allocator keeps for nobody.
#pragma once

#include <c10/core/Device.h>

namespace graphed {

/// Before a capture, in which the allocator cannot return cached memory to the device: returns that of pools which have died, and the rest
/// if the warm-ups since the last capture have left much, or if little else is free. That waits for the device.
void make_room(c10::DeviceIndex device);

}  // namespace graphed
