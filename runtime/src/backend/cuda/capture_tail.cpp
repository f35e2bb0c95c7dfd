// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/capture_tail.h"

#include "backend/backend.h"

#include <c10/cuda/CUDAException.h>
#include <graphed/error.h>

namespace graphed::impl {

std::vector<cudaGraphNode_t> capture_tail(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  const cudaGraphNode_t* nodes = nullptr;
  std::size_t count = 0;
#if CUDART_VERSION >= 13000
  C10_CUDA_CHECK(cudaStreamGetCaptureInfo(stream, &status, &id, nullptr, &nodes, nullptr, &count));
#else
  C10_CUDA_CHECK(cudaStreamGetCaptureInfo_v2(stream, &status, &id, nullptr, &nodes, &count));
#endif
  if (status == cudaStreamCaptureStatusInvalidated) {
    throw invalidated_capture("the capture was invalidated");
  }
  if (status == cudaStreamCaptureStatusNone) {
    throw CaptureError("the capture has ended");
  }
  return {nodes, nodes + count};
}

static void update(cudaStream_t stream, std::vector<cudaGraphNode_t>& nodes, unsigned how) {
#if CUDART_VERSION >= 13000
  C10_CUDA_CHECK(cudaStreamUpdateCaptureDependencies(stream, nodes.data(), nullptr, nodes.size(), how));
#else
  C10_CUDA_CHECK(cudaStreamUpdateCaptureDependencies(stream, nodes.data(), nodes.size(), how));
#endif
}

void add_to_tail(cudaStream_t stream, std::vector<cudaGraphNode_t> nodes) { update(stream, nodes, cudaStreamAddCaptureDependencies); }
void set_tail(cudaStream_t stream, std::vector<cudaGraphNode_t> nodes) { update(stream, nodes, cudaStreamSetCaptureDependencies); }

}  // namespace graphed::impl
