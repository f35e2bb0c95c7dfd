// SPDX-License-Identifier: Apache-2.0
//
// Devices that are full.
#pragma once

#include <c10/core/Device.h>

namespace graphed::testing {

/// From now on LibTorch's allocator gets no new memory of the device: what it has cached it still returns, and on a CPU what is small. Then
/// it throws what it throws where there is none.
void set_room(c10::Device device, bool is_there);
void give_back_cached_memory(c10::Device device);

}  // namespace graphed::testing
