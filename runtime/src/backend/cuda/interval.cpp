// SPDX-License-Identifier: Apache-2.0
//
// A stretch of a stream's time, between two timing events.
#include "backend/cuda/interval.h"

#include "backend/cuda/cleanup.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <type_traits>

namespace graphed {
namespace {

struct event_deleter {
  void operator()(cudaEvent_t event) const noexcept { warn_if_failed(cudaEventDestroy(event), "destroying an event"); }
};
using event_handle = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, event_deleter>;

event_handle make_event(c10::DeviceIndex device) {
  const c10::cuda::CUDAGuard on_device(device);
  cudaEvent_t event = nullptr;
  C10_CUDA_CHECK(cudaEventCreate(&event));
  return event_handle(event);
}

void record(const event_handle& event, c10::cuda::CUDAStream stream) {
  const c10::cuda::CUDAGuard on_device(stream.device_index());
  C10_CUDA_CHECK(cudaEventRecord(event.get(), stream.stream()));
}

class cuda_interval final : public interval {
 public:
  explicit cuda_interval(c10::DeviceIndex device)
      : stream_(c10::cuda::getCurrentCUDAStream(device)), begin_(make_event(device)), end_(make_event(device)) {
    record(begin_, stream_);
  }

  void stop() override { record(end_, stream_); }

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
  const c10::cuda::CUDAStream stream_;
  const event_handle begin_;
  const event_handle end_;
};

}  // namespace

std::unique_ptr<interval> begin_cuda_interval(c10::DeviceIndex device) { return std::make_unique<cuda_interval>(device); }

}  // namespace graphed
