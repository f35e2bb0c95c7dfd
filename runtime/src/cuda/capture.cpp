// SPDX-License-Identifier: Apache-2.0
#include "capture.h"

#include "cleanup.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <graphed/error.h>

#include <cstdint>
#include <utility>

namespace graphed {
namespace {

// The flags of LibTorch's own graphs: memory that a captured cudaMallocAsync left allocated is freed at the next launch, streams keep their
// priorities.
graph_exec_handle instantiate(const graph_handle& graph, cudaStream_t upload_stream) {
  cudaGraphExec_t exec = nullptr;
  C10_CUDA_CHECK(
      cudaGraphInstantiate(&exec, graph.get(), cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUseNodePriority));
  graph_exec_handle handle(exec);
  C10_CUDA_CHECK(cudaGraphUpload(exec, upload_stream));
  return handle;
}

// The stages of a capture, in their order; when one throws, those before it are undone.
class capture_session {
 public:
  capture_session(order_domain& domain, const cuda_pool& pool)
      : domain_(domain),
        turn_(domain),
        generator_(domain.device()),
        workspaces_(domain.capture_stream().stream()),
        memory_(std::make_unique<pool_share>(pool.device(), pool.id())),
        stream_(domain.capture_stream().stream()) {
    memory_->accept(stream_.id());
  }

  std::unique_ptr<executable> finish() {
    const graph_handle graph = stream_.end();
    memory_->stop();
    graph_exec_handle exec = instantiate(graph, domain_.capture_stream().stream());
    graph_resources resources{std::move(memory_), workspaces_.share(), generator_.drawn()};
    return std::make_unique<graph_executable>(domain_, std::move(exec), std::move(resources));
  }

 private:
  order_domain& domain_;
  order_domain::capture_turn turn_;
  generator_capture generator_;
  workspace_watch workspaces_;
  std::unique_ptr<pool_share> memory_;
  stream_capture stream_;
};

// Inside a capture the allocator cannot return cached memory to the device, so it does now if little else is free.
void make_room(c10::DeviceIndex device) {
  constexpr auto all = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  std::size_t free = 0;
  std::size_t total = 0;
  C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(device);
  const int64_t cached = stats.reserved_bytes[all].current - stats.allocated_bytes[all].current;
  if (static_cast<int64_t>(free) < cached) {
    c10::cuda::CUDACachingAllocator::emptyCache();
  }
}

}  // namespace

stream_capture::stream_capture(cudaStream_t stream) : stream_(stream) {
  C10_CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
}

c10::CaptureId_t stream_capture::id() const {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  C10_CUDA_CHECK(cudaStreamGetCaptureInfo(stream_, &status, &id));
  return id;
}

graph_handle stream_capture::end() {
  cudaGraph_t graph = nullptr;
  const cudaError_t error = cudaStreamEndCapture(stream_, &graph);
  graph_handle handle(graph);
  C10_CUDA_CHECK(error);
  return handle;
}

stream_capture::~stream_capture() {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  warn_if_failed(cudaStreamIsCapturing(stream_, &status), "asking for the state of a capture");
  if (status == cudaStreamCaptureStatusNone) {
    return;
  }
  // The end of an invalidated capture is an error, which says nothing new.
  cudaGraph_t graph = nullptr;
  static_cast<void>(cudaStreamEndCapture(stream_, &graph));
  const graph_handle discarded(graph);
  static_cast<void>(cudaGetLastError());
}

bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t error = cudaStreamIsCapturing(stream, &status);
  if (error == cudaErrorStreamCaptureImplicit) {
    static_cast<void>(cudaGetLastError());
    return true;
  }
  C10_CUDA_CHECK(error);
  return status != cudaStreamCaptureStatusNone;
}

std::unique_ptr<executable> capture_graph(order_domain& domain, const cuda_pool& pool, c10::function_ref<void()> body) {
  const c10::cuda::CUDAGuard on_device(domain.device());
  if (is_capturing(c10::cuda::getCurrentCUDAStream().stream())) {
    throw capture_error("the current stream is inside a capture already");
  }
  const c10::cuda::CUDAStreamGuard on_stream(domain.capture_stream());
  const relaxed_capture_mode relaxed;
  make_room(domain.device());
  prepare_cublas();
  capture_session session(domain, pool);
  body();
  return session.finish();
}

}  // namespace graphed
