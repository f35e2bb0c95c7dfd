// SPDX-License-Identifier: Apache-2.0
//
// Kernels of several pointwise operators in the place of those that a capture has queued for each.
#pragma once

#include "backend/backend.h"
#include "backend/cuda/program_trace.h"
#include "backend/cuda/stream_capture.h"

#include <cuda_runtime_api.h>

#include <memory>
#include <string>

namespace graphed::impl {

struct fused_nodes {
  fused_counts counts;
  std::string why_not;  ///< where kernels could not be compiled
};

/// In a graph that has been captured, not instantiated. On the current device. Where it throws, the graph is of no more use.
fused_nodes fuse_nodes(cudaGraph_t graph, traced_capture traced);

/// Fuses the graphs of a capture, one for each piece. Does nothing without GRAPHED_FUSE, nor for the stand-alone API.
class capture_fusion {
 public:
  explicit capture_fusion(const capture_request& request);

  /// The capture of the stream has begun, with what comes before all operators.
  void begin(c10::cuda::CUDAStream stream);
  /// While a body is captured, which is a graph of its own.
  void set_paused(bool paused);
  /// Ends the capture of the stream.
  graph_handle end(stream_capture& work);
  /// Of all pieces.
  fused_counts counts() const { return counts_; }

 private:
  std::shared_ptr<program_trace> trace_;  ///< null: nothing is fused
  fused_counts counts_;
};

}  // namespace graphed::impl
