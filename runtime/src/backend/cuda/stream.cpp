// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/stream.h"

#include "backend/cuda/cleanup.h"

#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>

#include <map>
#include <mutex>

namespace graphed {
namespace {

void order(c10::cuda::CUDAStream earlier, c10::cuda::CUDAStream later) {
  at::cuda::CUDAEvent event;
  event.record(earlier);
  event.block(later);
}

}  // namespace

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

side_stream::side_stream(c10::DeviceIndex device)
    : outer_(c10::cuda::getCurrentCUDAStream(device)), side_(warmup_stream::of(device).stream()), current_(side_) {
  warmup_stream::of(device).use();
  order(outer_, side_);
}

side_stream::~side_stream() {
  warn_if_thrown("waiting for a warm-up", [&] { order(side_, outer_); });
}

void record_use(const at::Tensor& tensor, c10::cuda::CUDAStream stream) {
  if (tensor.layout() == at::kSparse) {
    record_use(tensor._indices(), stream);
    record_use(tensor._values(), stream);
  } else if (tensor.has_storage()) {
    c10::cuda::CUDACachingAllocator::recordStream(tensor.storage().data_ptr(), stream);
  }
}

void side_stream::hand_over(const at::Tensor& tensor) {
  if (tensor.defined() && tensor.device() == outer_.device()) {
    record_use(tensor, outer_);
  }
}

}  // namespace graphed
