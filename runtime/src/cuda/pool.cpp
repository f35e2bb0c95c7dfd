// SPDX-License-Identifier: Apache-2.0
#include "pool.h"

#include "cleanup.h"

#include <ATen/Context.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/MemPool.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <atomic>
#include <functional>
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

using stream_filter = std::function<bool(cudaStream_t)>;

// The two allocators, in one form.
struct device_memory {
  c10::DeviceIndex device;
  c10::MempoolId_t id;
  void begin(const stream_filter& filter) const { allocator::beginAllocateToPool(device, id, filter); }
  void end() const { allocator::endAllocateToPool(device, id); }
  void release() const { allocator::releasePool(device, id); }
};

struct host_memory {
  c10::MempoolId_t id;
  void begin(const stream_filter& filter) const {
    at::getHostAllocator(at::kCUDA)->begin_allocate_to_pool(
        id, [filter](c10::Stream stream) { return filter(c10::cuda::CUDAStream(c10::cuda::CUDAStream::UNCHECKED, stream).stream()); });
  }
  void end() const { at::getHostAllocator(at::kCUDA)->end_allocate_to_pool(id); }
  void release() const { at::getHostAllocator(at::kCUDA)->release_pool(id); }
};

// Routes allocations to the pool until stop(), and keeps the pool's memory until it dies.
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
  route(const route&) = delete;
  route& operator=(const route&) = delete;

  void stop() {
    memory_.end();
    routing_ = false;
  }

 private:
  const Memory memory_;
  bool routing_ = true;
};

c10::MempoolId_t new_pool() {
  at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
  return at::cuda::MemPool::graph_pool_handle(/*is_user_created=*/false);
}

}  // namespace

struct pool_share::routes {
  routes(c10::DeviceIndex device_index, c10::MempoolId_t pool) : device({device_index, pool}, filter()), host({pool}, filter()) {}

  stream_filter filter() const {
    return [accepted = accepted](cudaStream_t stream) { return accepted->includes(stream); };
  }

  const std::shared_ptr<accepted_capture> accepted = std::make_shared<accepted_capture>();
  route<device_memory> device;
  route<host_memory> host;
};

pool_share::pool_share(c10::DeviceIndex device, c10::MempoolId_t pool) : routes_(std::make_unique<routes>(device, pool)) {}
pool_share::~pool_share() = default;

void pool_share::accept(c10::CaptureId_t capture) { routes_->accepted->accept(capture); }

void pool_share::stop() {
  routes_->host.stop();
  routes_->device.stop();
}

cuda_pool::cuda_pool(c10::DeviceIndex device) : device_(device), id_(new_pool()), anchor_(device_, id_) { anchor_.stop(); }

uint64_t cuda_pool::bytes() const {
  uint64_t bytes = 0;
  for (const auto& segment : allocator::snapshot(id_, /*include_traces=*/false).segments) {
    if (segment.owner_private_pool_id == id_) {
      bytes += segment.total_size;
    }
  }
  return bytes;
}

std::shared_ptr<void> cuda_pool::route_this_thread() {
  const auto owner = std::this_thread::get_id();
  return std::make_shared<route<device_memory>>(device_memory{device_, id_},
                                                [owner](cudaStream_t) { return std::this_thread::get_id() == owner; });
}

}  // namespace graphed
