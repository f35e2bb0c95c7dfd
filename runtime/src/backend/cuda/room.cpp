// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/room.h"

#include "backend/cuda/stream.h"

#include <c10/cuda/CUDACachingAllocator.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace graphed::impl {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

constexpr int64_t worth_a_synchronization = int64_t{64} << 20;

// Those of a device that have died with memory cached for them, which the allocator gives to nobody else. Never destroyed: pools in static
// storage die late.
struct dead_pools {
  std::mutex mutex;
  std::map<c10::DeviceIndex, std::vector<c10::MempoolId_t>> of_devices;
};

dead_pools& all_dead() {
  static auto& pools = *new dead_pools;
  return pools;
}

// False where the allocator refuses: a thread allocates to a pool, or captures.
bool empty(c10::MempoolId_t dead) {
  try {
    allocator::emptyCache(dead);
  } catch (const c10::Error&) {
    return false;
  }
  return reserved_bytes(dead) == 0;
}

// Tensors that are alive keep their memory until the next time.
void empty_dead_pools(c10::DeviceIndex device) {
  auto& [mutex, of_devices] = all_dead();
  std::unique_lock lock(mutex);
  const auto pools = std::exchange(of_devices[device], {});
  lock.unlock();
  for (const auto& dead : pools) {
    if (!empty(dead)) {
      note_dead_pool(device, dead);
    }
  }
}

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

int64_t free_bytes(c10::DeviceIndex device) { return static_cast<int64_t>(allocator::get()->getMemoryInfo(device).first); }

// Cached memory is its stream's: what warm-ups leave is of use to no private pool, and to no stream of the user's.
bool has_leftovers(c10::DeviceIndex device) {
  auto& warmups = warmup_stream::of(device);
  return warmups.take_leftovers() && cached_bytes(warmups.stream()) >= worth_a_synchronization;
}

}  // namespace

uint64_t reserved_bytes(c10::MempoolId_t pool) {
  uint64_t bytes = 0;
  for (const auto& segment : allocator::snapshot(pool, /*include_traces=*/false).segments) {
    if (segment.owner_private_pool_id == pool) {
      bytes += segment.total_size;
    }
  }
  return bytes;
}

void note_dead_pool(c10::DeviceIndex device, c10::MempoolId_t pool) {
  auto& [mutex, of_devices] = all_dead();
  const std::lock_guard lock(mutex);
  of_devices[device].push_back(pool);
}

void make_room(c10::DeviceIndex device) {
  empty_dead_pools(device);
  const int64_t cached = cached_bytes(device);
  if (cached >= worth_a_synchronization && (has_leftovers(device) || free_bytes(device) < cached)) {
    allocator::emptyCache();
  }
}

}  // namespace graphed::impl
