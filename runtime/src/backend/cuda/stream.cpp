// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/stream.h"

#include "backend/backend.h"

#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

#include <map>
#include <mutex>

namespace graphed::impl {

c10::cuda::CUDAStream make_stream(c10::DeviceIndex device, priority priority) {
  const c10::cuda::CUDAGuard on_device(device);
  cudaStream_t stream = nullptr;
  int lowest = 0, highest = 0;
  C10_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
  C10_CUDA_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority == priority::high ? highest : lowest));
  return c10::cuda::getStreamFromExternal(stream, device);
}

bool is_external(c10::cuda::CUDAStream stream) {
  return !is_default(stream.stream()) && c10::cuda::getStreamFromExternal(stream.stream(), stream.device_index()) == stream;
}

void order_streams(c10::cuda::CUDAStream earlier, c10::cuda::CUDAStream later) {
  at::cuda::CUDAEvent event;
  event.record(earlier);
  event.block(later);
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

capture_place place_in_capture(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* nodes = nullptr;
  std::size_t count = 0;
#if CUDART_VERSION >= 13000
  C10_CUDA_CHECK(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &nodes, nullptr, &count));
#else
  C10_CUDA_CHECK(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &nodes, &count));
#endif
  if (status == cudaStreamCaptureStatusInvalidated) {
    throw invalidated_capture("the capture was invalidated");
  }
  if (status == cudaStreamCaptureStatusNone) {
    throw CaptureError("the capture has ended");
  }
  return {graph, {nodes, nodes + count}};
}

std::vector<cudaGraphNode_t> capture_tail(cudaStream_t stream) { return place_in_capture(stream).tail; }

void update_tail(cudaStream_t stream, std::vector<cudaGraphNode_t> nodes, cudaStreamUpdateCaptureDependenciesFlags how) {
#if CUDART_VERSION >= 13000
  C10_CUDA_CHECK(cudaStreamUpdateCaptureDependencies(stream, nodes.data(), nullptr, nodes.size(), how));
#else
  C10_CUDA_CHECK(cudaStreamUpdateCaptureDependencies(stream, nodes.data(), nodes.size(), how));
#endif
}

c10::cuda::CUDAStream stream_ahead_of_replays(c10::DeviceIndex device) {
  static auto& mutex = *new std::mutex;
  static auto& streams = *new std::map<c10::DeviceIndex, c10::cuda::CUDAStream>;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto known = streams.find(device);
  return known != streams.end() ? known->second : streams.emplace(device, make_stream(device)).first->second;
}

}  // namespace graphed::impl
