// SPDX-License-Identifier: Apache-2.0
//
// What is queued on a stream becomes a graph.
#pragma once

#include "backend/cuda/cleanup.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <graphed/capture.h>

namespace graphed::impl {

/// Captures what is queued on a stream. It begins and ends on one thread; what was not ended is thrown away, also where exit() is called.
/// One that begins while another one is open ends before it.
class stream_capture {
 public:
  stream_capture(cudaStream_t stream, CaptureErrorMode mode) : stream_(stream), outer_(of_this_thread) {
    static const thread_local end_of_thread discards;
    C10_CUDA_CHECK(
        cudaStreamBeginCapture(stream_, mode == CaptureErrorMode::Global ? cudaStreamCaptureModeGlobal : cudaStreamCaptureModeThreadLocal));
    of_this_thread = this;
  }
  ~stream_capture() {
    of_this_thread = outer_;
    discard();
  }
  stream_capture& operator=(stream_capture&&) = delete;

  c10::CaptureId_t id() const {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
    C10_CUDA_CHECK(cudaStreamGetCaptureInfo(stream_, &status, &id));
    return id;
  }
  graph_handle end() {
    cudaGraph_t graph = nullptr;
    const cudaError_t error = cudaStreamEndCapture(stream_, &graph);
    graph_handle handle(graph);
    C10_CUDA_CHECK(error);
    return handle;
  }

 private:
  /// What the process destroys at its end calls CUDA, which a capture would refuse.
  struct end_of_thread {
    ~end_of_thread() {
      for (const auto* each = of_this_thread; each != nullptr; each = each->outer_) {
        each->discard();
      }
    }
  };
  static inline thread_local stream_capture* of_this_thread = nullptr;

  void discard() const noexcept {
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

  const cudaStream_t stream_;
  stream_capture* const outer_;
};

}  // namespace graphed::impl
