// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/pool.h"

#include "backend/cuda/cleanup.h"
#include "backend/cuda/host_pool.h"
#include "backend/cuda/route.h"
#include "backend/cuda/spare_pools.h"

#include <c10/cuda/CUDACachingAllocator.h>

#include <atomic>
#include <thread>

namespace graphed {

namespace allocator = c10::cuda::CUDACachingAllocator;

namespace {

// The capture whose allocations go to a pool. The allocators ask about streams, from any thread.
class accepted_capture {
 public:
  void accept(c10::CaptureId_t capture) { capture_ = capture; }

  bool includes(cudaStream_t stream) const noexcept {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
    if (cudaStreamGetCaptureInfo(stream, &status, &id) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());  // the legacy stream, while a blocking stream is captured elsewhere
      return false;
    }
    return status != cudaStreamCaptureStatusNone && id == capture_.load();
  }

 private:
  std::atomic<c10::CaptureId_t> capture_{0};
};

// Those that have died with memory cached for them, which the allocator gives to nobody else. Never destroyed: pools in static storage die
// late.
spare_pools<c10::DeviceIndex>& dead_pools() {
  static auto& pools = *new spare_pools<c10::DeviceIndex>;
  return pools;
}

struct device_memory {
  c10::DeviceIndex device;
  c10::MempoolId_t id;
  void begin(const stream_filter& filter) const { allocator::beginAllocateToPool(device, id, filter); }
  void end() const { allocator::endAllocateToPool(device, id); }
  void release() const {
    allocator::releasePool(device, id);
    if (allocator::getPoolUseCount(device, id) == 0) {
      dead_pools().add(device, id);
    }
  }
};

uint64_t bytes_of(c10::MempoolId_t pool) {
  uint64_t bytes = 0;
  for (const auto& segment : allocator::snapshot(pool, /*include_traces=*/false).segments) {
    if (segment.owner_private_pool_id == pool) {
      bytes += segment.total_size;
    }
  }
  return bytes;
}

// False where the allocator refuses: a thread allocates to a pool, or captures.
bool empty(c10::MempoolId_t dead) {
  try {
    allocator::emptyCache(dead);
  } catch (const c10::Error&) {
    return false;
  }
  return bytes_of(dead) == 0;
}

std::shared_ptr<void> anchor_of(c10::DeviceIndex device, c10::MempoolId_t pool) {
  auto anchor = std::make_shared<route<device_memory>>(device_memory{device, pool}, no_stream);
  anchor->stop();
  return anchor;
}

}  // namespace

struct pool_share::routes {
  routes(order_domain& domain, c10::MempoolId_t pool)
      : device({domain.device(), pool}, filter()), pinned(domain), host(pinned.memory(), filter()) {}

  stream_filter filter() const {
    return [accepted = accepted](cudaStream_t stream) { return accepted->includes(stream); };
  }

  const std::shared_ptr<accepted_capture> accepted = std::make_shared<accepted_capture>();
  route<device_memory> device;
  const host_pool pinned;
  route<host_memory> host;
};

pool_share::pool_share(order_domain& domain, c10::MempoolId_t pool) : routes_(std::make_unique<routes>(domain, pool)) {}
pool_share::~pool_share() = default;

void pool_share::accept(c10::CaptureId_t capture) { routes_->accepted->accept(capture); }

void pool_share::stop() {
  routes_->host.stop();
  routes_->device.stop();
}

cuda_pool::cuda_pool(c10::DeviceIndex device) : device_(device), id_(new_pool_id()), anchor_(anchor_of(device_, id_)) {}

order_domain& cuda_pool::order() {
  std::call_once(asked_for_order_, [&] { order_ = order_domain::take(device_); });
  return *order_;
}

uint64_t cuda_pool::bytes() const { return bytes_of(id_); }

void empty_dead_pools(c10::DeviceIndex device) {
  for (const auto& dead : dead_pools().take_all(device)) {
    if (!empty(dead)) {
      dead_pools().add(device, dead);
    }
  }
}

std::shared_ptr<void> cuda_pool::route_this_thread() {
  const auto owner = std::this_thread::get_id();
  return std::make_shared<route<device_memory>>(device_memory{device_, id_},
                                                [owner](cudaStream_t) { return std::this_thread::get_id() == owner; });
}

}  // namespace graphed
