// SPDX-License-Identifier: Apache-2.0
//
// Streams of the runtime's own, and how far any of them is being captured.
#pragma once

#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <vector>

namespace graphed::impl {

/// A stream that nothing else has, forever: those of c10's pool are given to all users in turn.
enum class priority : uint8_t { usual, high };
c10::cuda::CUDAStream make_stream(c10::DeviceIndex device, priority priority = priority::usual);

/// The stream that is never captured and lives forever.
inline bool is_default(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy; }

/// Whether it is none of LibTorch's own: the program, which has made it, may destroy it.
bool is_external(c10::cuda::CUDAStream stream);

/// What is queued on the later one from now on comes after what the earlier one has now.
void order_streams(c10::cuda::CUDAStream earlier, c10::cuda::CUDAStream later);

/// Whether `stream` is inside a capture, or is the legacy stream, whose use would break one.
bool is_capturing(cudaStream_t stream);
/// Where a stream stands that is being captured: what it is given next comes after these nodes. Throws CaptureError for another one.
struct capture_place {
  cudaGraph_t graph;  ///< to which nodes may be added
  std::vector<cudaGraphNode_t> tail;
};
capture_place place_in_capture(cudaStream_t stream);
std::vector<cudaGraphNode_t> capture_tail(cudaStream_t stream);
/// What the stream is given next comes after these as well, or, set, after these alone.
void update_tail(cudaStream_t stream, std::vector<cudaGraphNode_t> nodes, cudaStreamUpdateCaptureDependenciesFlags how);

/// The stream of a device for what a capture does ahead of its replays. Nothing is ever captured on it. Any thread may call.
c10::cuda::CUDAStream stream_ahead_of_replays(c10::DeviceIndex device);

}  // namespace graphed::impl
