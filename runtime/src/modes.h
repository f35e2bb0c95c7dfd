// SPDX-License-Identifier: Apache-2.0
//
// The modes of the thread and of the process that decide what a callable computes: each combination selects its own capture.
#pragma once

#include <c10/core/Device.h>

#include <string>

namespace graphed {

/// Grad mode, inference mode, autocast and its dtype, the device, and the context's switches of precision, determinism and kernel choice.
std::string mode_key(c10::Device device);

}  // namespace graphed
