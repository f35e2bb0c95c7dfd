// SPDX-License-Identifier: Apache-2.0
//
// The CUDA side of the seam.
#include "backend/backend.h"
#include "report/environment.h"
#include "report/pages.h"

#include "backend/cuda/cleanup.h"
#include "backend/cuda/executable.h"
#include "backend/cuda/host_ring.h"
#include "backend/cuda/kernel_names.h"
#include "backend/cuda/pool.h"
#include "backend/cuda/stream.h"

#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <graphed/error.h>

#include <array>
#include <atomic>

namespace graphed::impl {
namespace {

// Contexts stay: the driver is asked until there is one.
bool has_context(c10::DeviceIndex device) {
  static std::array<std::atomic<bool>, C10_COMPILE_TIME_MAX_GPUS> known{};
  std::atomic<bool>& is_known = known[static_cast<std::size_t>(device)];
  if (!is_known.load(std::memory_order_relaxed)) {
    is_known.store(c10::cuda::hasPrimaryContext(device), std::memory_order_relaxed);
  }
  return is_known.load(std::memory_order_relaxed);
}

event_handle make_event(c10::DeviceIndex device) {
  const c10::cuda::CUDAGuard on_device(device);
  cudaEvent_t event = nullptr;
  C10_CUDA_CHECK(cudaEventCreate(&event));
  return event_handle(event);
}

/// A stretch of a stream's time, between two timing events. The stream is not being captured; captures on others are not disturbed.
class cuda_interval final : public interval {
 public:
  explicit cuda_interval(c10::DeviceIndex device)
      : stream_(c10::cuda::getCurrentCUDAStream(device)), begin_(make_event(device)), end_(make_event(device)) {
    record(begin_);
  }

  void stop() override { record(end_); }

  // To ask for an event kills a capture of this thread, but for a relaxed one.
  std::optional<double> microseconds() const override {
    const relaxed_capture_mode relaxed;
    const cudaError_t state = cudaEventQuery(end_.get());
    if (state == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());
      return std::nullopt;
    }
    C10_CUDA_CHECK(state);
    float milliseconds = 0;
    C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()));
    return milliseconds * 1000.0;
  }

 private:
  void record(const event_handle& event) const {
    const c10::cuda::CUDAGuard on_device(stream_.device_index());
    C10_CUDA_CHECK(cudaEventRecord(event.get(), stream_.stream()));
  }

  const c10::cuda::CUDAStream stream_;
  const event_handle begin_;
  const event_handle end_;
};

// `stream` uses the tensor's memory: that of its indices and values where it is sparse.
void record_stream(const at::Tensor& tensor, c10::cuda::CUDAStream stream) {
  if (tensor.layout() == at::kSparse) {
    record_stream(tensor._indices(), stream);
    record_stream(tensor._values(), stream);
  } else if (tensor.has_storage()) {
    c10::cuda::CUDACachingAllocator::recordStream(tensor.storage().data_ptr(), stream);
  }
}

class backend_of_cuda final : public backend {
 public:
  device_words describe(c10::Device device) const override {
    const cudaDeviceProp& properties = *at::cuda::getDeviceProperties(device.index());
    return {properties.name, std::to_string(properties.major) + "." + std::to_string(properties.minor)};
  }

  bool capture_executes() const override { return false; }

  // The coarsest that cuBLASLt's choice of a kernel looks at. The allocator gives 512.
  std::size_t alignment() const override { return 256; }

  // A device that was never used has no context, and gets none here.
  bool capturing(c10::Device device) const override {
    try {
      const auto stream = c10::cuda::getCurrentCUDAStream(device.index());
      return !is_default(stream.stream()) && has_context(device.index()) && is_capturing(stream.stream());
    } catch (const c10::Error&) {
      check_usable(device, "graphed: ");
      throw;
    }
  }

  std::unique_ptr<pool> make_pool(c10::Device device) override { return std::make_unique<cuda_pool>(device.index()); }

  std::shared_ptr<host_ring> make_host_ring(c10::Device device, std::size_t bytes, host_results_form form,
                                            const std::string& prefix) override {
    return make_cuda_host_ring(device, bytes, form, prefix);
  }

  void record_use(const at::Tensor& tensor) override { record_stream(tensor, c10::cuda::getCurrentCUDAStream(tensor.device().index())); }

  std::unique_ptr<interval> begin_interval(c10::Device device) override { return std::make_unique<cuda_interval>(device.index()); }

  std::unique_ptr<kernel_watch> watch_kernels(c10::Device device) override {
    return std::make_unique<kernel_names>(device, environment::get().report_times ? std::make_shared<operator_events>(device) : nullptr);
  }

  // What the context cannot recover from is the answer to every call from then on.
  void check_usable(c10::Device device, const std::string& prefix) const override {
    const c10::cuda::CUDAGuard on_device(device);
    const relaxed_capture_mode relaxed;
    const bool is_callers = cudaPeekAtLastError() != cudaSuccess;  // who has yet to ask for it
    const cudaError_t state = cudaStreamQuery(c10::cuda::getCurrentCUDAStream().stream());
    if (!is_callers) {
      static_cast<void>(cudaGetLastError());
    }
    if (state != cudaSuccess && state != cudaErrorNotReady) {
      throw DeviceError(prefix + "the device " + device.str() + " can no longer be used by this process: " + cudaGetErrorString(state) +
                        see(pages::failure));
    }
  }

  std::unique_ptr<open_capture> begin_capture(const capture_request& request) override {
    return impl::begin_capture(static_cast<cuda_pool&>(request.memory).order(), request);
  }
};

}  // namespace

backend& cuda_backend() {
  static auto& instance = *new backend_of_cuda;
  return instance;
}

}  // namespace graphed::impl
