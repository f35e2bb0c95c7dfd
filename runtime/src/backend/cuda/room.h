// SPDX-License-Identifier: Apache-2.0
//
// Memory that the caching allocator keeps for nobody.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/Device.h>

#include <cstdint>

namespace graphed::impl {

/// Of the segments that the allocator has reserved for a pool.
uint64_t reserved_bytes(c10::MempoolId_t pool);
/// A private pool that has no user any more.
void note_dead_pool(c10::DeviceIndex device, c10::MempoolId_t pool);

/// Before a capture, in which the allocator cannot return cached memory to the device: returns that of pools which have died, and the rest
/// if the warm-ups since the last capture have left much, or if little else is free. That waits for the device.
void make_room(c10::DeviceIndex device);

}  // namespace graphed::impl
