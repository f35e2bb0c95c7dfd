// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/room.h"

#include "backend/cuda/pool.h"
#include "backend/cuda/stream.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

#include <cstddef>
#include <cstdint>

namespace graphed {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

constexpr int64_t worth_a_synchronization = int64_t{64} << 20;

int64_t cached_bytes(c10::DeviceIndex device) {
  constexpr auto all = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  const auto stats = allocator::getDeviceStats(device);
  return stats.reserved_bytes[all].current - stats.allocated_bytes[all].current;
}

int64_t cached_bytes(c10::cuda::CUDAStream stream) {
  std::size_t bytes = 0;
  for (const auto& segment : allocator::snapshot({0, 0}, /*include_traces=*/false).segments) {
    if (segment.device == stream.device_index() && segment.stream == stream.stream()) {
      bytes += segment.total_size - segment.allocated_size;
    }
  }
  return static_cast<int64_t>(bytes);
}

int64_t free_bytes(c10::DeviceIndex device) {
  const c10::cuda::CUDAGuard on_device(device);
  std::size_t free = 0;
  std::size_t total = 0;
  C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  return static_cast<int64_t>(free);
}

// Cached memory is its stream's: what warm-ups leave is of use to no private pool, and to no stream of the user's.
bool has_leftovers(c10::DeviceIndex device) {
  auto& warmups = warmup_stream::of(device);
  return warmups.take_leftovers() && cached_bytes(warmups.stream()) >= worth_a_synchronization;
}

}  // namespace

void make_room(c10::DeviceIndex device) {
  empty_dead_pools(device);
  const int64_t cached = cached_bytes(device);
  if (cached >= worth_a_synchronization && (has_leftovers(device) || free_bytes(device) < cached)) {
    allocator::emptyCache();
  }
}

}  // namespace graphed
