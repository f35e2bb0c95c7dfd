// SPDX-License-Identifier: Apache-2.0
//
// Streams of the runtime's own, and how far any of them is being captured.
#pragma once

#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <vector>

namespace graphed::impl {

/// A stream that nothing else has, forever: those of c10's pool are given to all users in turn.
enum class priority : uint8_t { usual, high };
c10::cuda::CUDAStream make_stream(c10::DeviceIndex device, priority priority = priority::usual);

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

/// Where the warm-ups of a device run. It is not the capture stream: another thread may be capturing that just then. Besides, cuBLAS
/// workspaces belong to a stream, and replays may be using the capture stream's. Thread safety: all members.
class warmup_stream {
 public:
  static warmup_stream& of(c10::DeviceIndex device);
  explicit warmup_stream(c10::DeviceIndex device);

  c10::cuda::CUDAStream stream() const { return stream_; }
  void use() { was_used_ = has_leftovers_ = true; }
  bool was_used() const { return was_used_; }
  /// Whether it was used since the last question: the allocator keeps for a stream what was freed on it.
  bool take_leftovers() { return has_leftovers_.exchange(false); }

 private:
  const c10::cuda::CUDAStream stream_;
  std::atomic<bool> was_used_{false};
  std::atomic<bool> has_leftovers_{false};
};

}  // namespace graphed::impl
