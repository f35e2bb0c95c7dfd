// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/pool.h"

#include "backend/cuda/cleanup.h"
#include "backend/cuda/stream.h"
#include "report/thread_number.h"

#include <ATen/Context.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/MemPool.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace graphed::impl {

namespace allocator = c10::cuda::CUDACachingAllocator;

namespace {

constexpr int64_t worth_a_synchronization = int64_t{64} << 20;

// Those of a device that have died with memory cached for them, which the allocator gives to nothing else. Never destroyed: pools in static
// storage die late.
struct dead_pools {
  std::mutex mutex;
  std::map<c10::DeviceIndex, std::vector<c10::MempoolId_t>> of_devices;
};

dead_pools& all_dead() {
  static auto& pools = *new dead_pools;
  return pools;
}

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

int64_t free_bytes(c10::DeviceIndex device) { return static_cast<int64_t>(allocator::get()->getMemoryInfo(device).first); }

/// Whether what is allocated for a stream goes to the pool.
using stream_filter = std::function<bool(cudaStream_t)>;

bool no_stream(cudaStream_t /*stream*/) { return false; }

// No other pool of the process has it.
c10::MempoolId_t new_pool_id() {
  at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
  return at::cuda::MemPool::graph_pool_handle(/*is_user_created=*/false);
}

/// Until stop(), allocations go to the pool; its memory is kept until this dies. `Memory` is one of the allocators and a pool of it.
template <class Memory>
class route {
 public:
  route(Memory memory, const stream_filter& filter) : memory_(memory) {
    try {
      memory_.begin(filter);
    } catch (...) {  // refused because the pool is routed to already, after its use had been counted
      warn_if_thrown("releasing a memory pool", [&] { memory_.release(); });
      throw;
    }
  }
  ~route() {
    if (routing_) {
      warn_if_thrown("ending allocation to a memory pool", [&] { memory_.end(); });
    }
    warn_if_thrown("releasing a memory pool", [&] { memory_.release(); });
  }
  route& operator=(route&&) = delete;

  void stop() {
    memory_.end();
    routing_ = false;
  }

 private:
  const Memory memory_;
  bool routing_ = true;
};

struct device_memory {
  c10::DeviceIndex device;
  c10::MempoolId_t id;
  void begin(const stream_filter& filter) const { allocator::beginAllocateToPool(device, id, filter); }
  void end() const { allocator::endAllocateToPool(device, id); }
  void release() const {
    allocator::releasePool(device, id);
    if (allocator::getPoolUseCount(device, id) == 0) {
      note_dead_pool(device, id);
    }
  }
};

/// LibTorch's allocator of pinned memory, and a pool of it.
struct host_memory {
  c10::MempoolId_t id;

  void begin(const stream_filter& filter) const {
    at::getHostAllocator(at::kCUDA)->begin_allocate_to_pool(
        id, [filter](c10::Stream stream) { return filter(c10::cuda::CUDAStream(c10::cuda::CUDAStream::UNCHECKED, stream).stream()); });
  }
  void end() const { at::getHostAllocator(at::kCUDA)->end_allocate_to_pool(id); }
  void release() const { at::getHostAllocator(at::kCUDA)->release_pool(id); }
};

/// The pool of pinned memory of one capture of a domain, or of one after another: LibTorch's allocator keeps some 50 KB for each pool that
/// it ever made. A later capture therefore gets the pool of one whose graphs have died. Not inside a capture.
class host_pool {
 public:
  /// Waits for the replays of graphs that had it: what they may still read is not written.
  explicit host_pool(order_domain& domain) : domain_(domain) {
    domain.wait_on_host();
    auto& [mutex, idle] = all_idle();
    const std::lock_guard lock(mutex);
    auto& own = idle[&domain];
    if (own.empty()) {
      own.push_back(make());
    }
    memory_ = own.back();
    own.pop_back();
  }
  ~host_pool() {
    auto& [mutex, idle] = all_idle();
    const std::lock_guard lock(mutex);
    idle[&domain_].push_back(memory_);
  }
  host_pool& operator=(host_pool&&) = delete;

  const host_memory& memory() const { return memory_; }

 private:
  struct idle_pools {
    std::mutex mutex;
    std::map<const order_domain*, std::vector<host_memory>> of_domains;
  };
  // Never destroyed: graphs in static storage die late.
  static idle_pools& all_idle() {
    static auto& pools = *new idle_pools;
    return pools;
  }
  // One use of it never ends, so that it can be used again.
  static host_memory make() {
    const host_memory made{new_pool_id()};
    made.begin(no_stream);
    made.end();
    return made;
  }

  order_domain& domain_;
  host_memory memory_{};
};

std::shared_ptr<void> anchor_of(c10::DeviceIndex device, c10::MempoolId_t pool) {
  auto anchor = std::make_shared<route<device_memory>>(device_memory{device, pool}, no_stream);
  anchor->stop();
  return anchor;
}

/// Numbers of captures. Any thread.
class capture_ids {
 public:
  void add(c10::CaptureId_t id) {
    const std::lock_guard lock(mutex_);
    ids_.push_back(id);
    is_empty_ = false;
  }
  bool is_empty() const { return is_empty_; }
  bool has(c10::CaptureId_t id) {
    const std::lock_guard lock(mutex_);
    return std::find(ids_.begin(), ids_.end(), id) != ids_.end();
  }

 private:
  std::atomic<bool> is_empty_{true};
  std::mutex mutex_;
  std::vector<c10::CaptureId_t> ids_;
};

}  // namespace

struct pool_share::routes {
  routes(order_domain& domain, c10::MempoolId_t pool)
      : device({domain.device(), pool}, filter()), pinned(domain), host(pinned.memory(), filter()) {}

  // The allocators ask about streams, from any thread.
  stream_filter filter() const {
    return [accepted = accepted, owner = thread_number()](cudaStream_t stream) {
      if (accepted->is_empty()) {
        return thread_number() == owner;
      }
      cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
      unsigned long long id = 0;
      if (cudaStreamGetCaptureInfo(stream, &status, &id) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());  // the legacy stream, while a blocking stream is captured elsewhere
        return false;
      }
      return status != cudaStreamCaptureStatusNone && accepted->has(id);
    };
  }

  /// The captures whose allocations go to the pool; none yet: the owner's do.
  const std::shared_ptr<capture_ids> accepted = std::make_shared<capture_ids>();
  route<device_memory> device;
  const host_pool pinned;
  route<host_memory> host;
};

pool_share::pool_share(order_domain& domain, c10::MempoolId_t pool) : routes_(std::make_unique<routes>(domain, pool)) {}
pool_share::~pool_share() = default;

void pool_share::accept(c10::CaptureId_t capture) { routes_->accepted->add(capture); }

void pool_share::stop() {
  routes_->host.stop();
  routes_->device.stop();
}

cuda_pool::cuda_pool(c10::DeviceIndex device) : device_(device), id_(new_pool_id()), anchor_(anchor_of(device_, id_)) {}

order_domain& cuda_pool::order() {
  std::call_once(asked_for_order_, [&] { order_ = order_domain::take(device_); });
  return *order_;
}

uint64_t cuda_pool::bytes() const { return reserved_bytes(id_); }

std::shared_ptr<void> cuda_pool::route_this_thread() {
  const auto owner = thread_number();
  return std::make_shared<route<device_memory>>(device_memory{device_, id_},
                                                [owner](cudaStream_t) { return thread_number() == owner; });
}

void make_room(c10::DeviceIndex device) {
  empty_dead_pools(device);
  const int64_t cached = cached_bytes(device);
  if (cached >= worth_a_synchronization && free_bytes(device) < cached) {
    allocator::emptyCache();
  }
}

}  // namespace graphed::impl
