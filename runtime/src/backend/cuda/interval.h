// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/timing.h"

#include <c10/core/Device.h>

#include <memory>

namespace graphed {

/// Begins on the device's current stream, which is not being captured. Captures on other streams, also of this thread, are not disturbed.
std::unique_ptr<interval> begin_cuda_interval(c10::DeviceIndex device);

}  // namespace graphed
