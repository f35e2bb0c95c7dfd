// SPDX-License-Identifier: Apache-2.0
//
// What a capture that failed inside of cuSOLVER leaves behind.
#pragma once

#include <c10/core/Device.h>

namespace graphed {

/// cuSOLVER keeps the error of a call that a capture refused, and its next call fails with it, once (measured with CUDA 13.0: eigh, geev,
/// sytrf). Makes that call. Nothing happens where the process has not used LibTorch's linear algebra on a GPU. Not inside a capture.
void take_error_from_cusolver(c10::Device device) noexcept;

}  // namespace graphed
