// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/order.h"

#include "backend/backend.h"
#include "backend/cuda/cleanup.h"
#include "backend/cuda/stream.h"

#include <ATen/Context.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <graphed/error.h>

#include <map>
#include <memory>

namespace graphed {

// Never destroyed: graphs in static storage outlive everything else.
order_domain& order_domain::of(c10::DeviceIndex device) {
  static auto& mutex = *new std::mutex;
  static auto& domains = *new std::map<c10::DeviceIndex, std::unique_ptr<order_domain>>;
  const std::lock_guard<std::mutex> lock(mutex);
  auto& domain = domains[device];
  if (!domain) {
    at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
    domain = std::make_unique<order_domain>(device);
  }
  return *domain;
}

order_domain::order_domain(c10::DeviceIndex device) : capture_stream_(make_stream(device)), backward_stream_(make_stream(device)) {
  const c10::cuda::CUDAGuard on_device(device);
  C10_CUDA_CHECK(cudaEventCreateWithFlags(&last_use_, cudaEventDisableTiming));
  C10_CUDA_CHECK(cudaEventCreateWithFlags(&followed_, cudaEventDisableTiming));
}

c10::cuda::CUDAStream order_domain::branch_stream(std::size_t index) {
  const std::lock_guard<std::mutex> lock(mutex_);
  while (branch_streams_.size() <= index) {
    branch_streams_.push_back(make_stream(device()));
  }
  return branch_streams_[index];
}

void order_domain::wait(cudaStream_t stream) {
  if (follows_) {
    C10_CUDA_CHECK(cudaStreamWaitEvent(stream, followed_, 0));
  }
  if (!used_ || stream_identity(stream) == last_stream_) {
    return;
  }
  is_shared_ = true;
  record_now();
  C10_CUDA_CHECK(cudaStreamWaitEvent(stream, last_use_, 0));
}

// On the default stream the event can be recorded when another stream asks for it. It is then later than the last use, which is right, and
// happens once.
void order_domain::record(cudaStream_t stream) {
  last_stream_ = stream_identity(stream);
  used_ = true;
  follows_ = false;
  is_recorded_ = false;
  if (is_shared_ || !is_default(stream)) {
    record_now();
  }
}

void order_domain::record_now() {
  if (!used_ || is_recorded_) {
    return;
  }
  const c10::cuda::CUDAGuard on_device(device());
  C10_CUDA_CHECK(cudaEventRecord(last_use_, last_stream_.stream));
  is_recorded_ = true;
}

void order_domain::begin_use(cudaStream_t stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  wait(stream);
}

void order_domain::end_use(cudaStream_t stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  wait(stream);
  record(stream);
}

void order_domain::follow(cudaStream_t stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  C10_CUDA_CHECK(cudaEventRecord(followed_, stream));
  follows_ = true;
}

void order_domain::wait_on_host() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!used_) {
      return;
    }
    record_now();
  }
  C10_CUDA_CHECK(cudaEventSynchronize(last_use_));
}

void order_domain::use(cudaStream_t stream, c10::function_ref<void()> launch) {
  const std::lock_guard<std::mutex> lock(mutex_);
  wait(stream);
  launch();
  record(stream);
}

void order_domain::wait_unless_captured(c10::cuda::CUDAStream stream) noexcept {
  if (captured_ == stream) {
    return;
  }
  warn_if_thrown("recording the last replay", [&] { record_now(); });
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  warn_if_failed(cudaStreamIsCapturing(stream.stream(), &status), "asking for the state of a capture");
  if (status == cudaStreamCaptureStatusNone) {  // else somebody else captures it, and must not be disturbed
    warn_if_failed(cudaStreamWaitEvent(stream.stream(), last_use_, 0), "waiting for the last replay");
  }
}

void order_domain::retire(c10::cuda::CUDAStream stream) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!used_) {
    return;
  }
  wait_unless_captured(capture_stream_);
  wait_unless_captured(backward_stream_);
  for (const auto& branch : branch_streams_) {
    wait_unless_captured(branch);
  }
  if (stream != capture_stream_ && stream != backward_stream_) {
    wait_unless_captured(stream);
  }
}

order_domain::capture_turn::capture_turn(order_domain& domain, c10::cuda::CUDAStream stream) : domain_(domain), stream_(stream) {
  const std::lock_guard<std::mutex> lock(domain_.mutex_);
  if (domain_.captured_) {
    throw foreign_capture("a capture is under way on this device already");
  }
  domain_.record_now();
  domain_.captured_ = stream;
}

order_domain::capture_turn::~capture_turn() {
  {
    const std::lock_guard<std::mutex> lock(domain_.mutex_);
    domain_.captured_.reset();
  }
  domain_.retire(stream_);
}

}  // namespace graphed
