// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/stream.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

#include <map>
#include <mutex>

namespace graphed::impl {

c10::cuda::CUDAStream make_stream(c10::DeviceIndex device) {
  const c10::cuda::CUDAGuard on_device(device);
  cudaStream_t stream = nullptr;
  C10_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return c10::cuda::getStreamFromExternal(stream, device);
}

warmup_stream& warmup_stream::of(c10::DeviceIndex device) {
  static auto& mutex = *new std::mutex;
  static auto& streams = *new std::map<c10::DeviceIndex, warmup_stream>;
  const std::lock_guard<std::mutex> lock(mutex);
  return streams.try_emplace(device, device).first->second;
}

warmup_stream::warmup_stream(c10::DeviceIndex device) : stream_(make_stream(device)) {}

}  // namespace graphed::impl
