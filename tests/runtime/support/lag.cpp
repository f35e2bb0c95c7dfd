// SPDX-License-Identifier: Apache-2.0
#include "lag.h"

#ifdef GRAPHED_WITH_CUDA
#include <ATen/cuda/Sleep.h>
#include <c10/cuda/CUDAGuard.h>
#endif

namespace graphed::testing {

void lag([[maybe_unused]] c10::Device device) {
#ifdef GRAPHED_WITH_CUDA
  if (device.is_cuda()) {
    constexpr int64_t two_milliseconds = 4'000'000;  // in cycles
    const c10::cuda::CUDAGuard on_device(device);
    at::cuda::sleep(two_milliseconds);
  }
#endif
}

}  // namespace graphed::testing
