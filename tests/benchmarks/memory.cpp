// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#if defined(BENCHMARKS_WITH_CUDA)
#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#endif

namespace benchmarks {

#if defined(BENCHMARKS_WITH_CUDA)

namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

memory memory_of(c10::Device device, int64_t (*which)(const c10::CachingAllocator::Stat&)) {
  const auto stats = allocator::getDeviceStats(device.index());
  return {which(stats.allocated_bytes[0]), which(stats.reserved_bytes[0])};
}

}  // namespace

void give_back_memory(c10::Device device) {
  if (device.is_cuda()) {
    c10::cuda::device_synchronize();
    at::cuda::clearCublasWorkspaces();
    allocator::emptyCache();
  }
}

memory_watch::memory_watch(c10::Device device) : device_(device) {
  give_back_memory(device);
  if (device.is_cuda()) {
    allocator::resetPeakStats(device.index());
    before_ = memory_of(device, [](const auto& stat) { return stat.current; });
  }
}

std::optional<memory> memory_watch::peaks() const {
  if (!before_) {
    return std::nullopt;
  }
  const memory peak = memory_of(device_, [](const auto& stat) { return stat.peak; });
  return memory{peak.allocated - before_->allocated, peak.reserved - before_->reserved};
}

#else

void give_back_memory(c10::Device) {}
memory_watch::memory_watch(c10::Device device) : device_(device) {}
std::optional<memory> memory_watch::peaks() const { return before_; }

#endif

}  // namespace benchmarks
