// SPDX-License-Identifier: Apache-2.0
//
// Owners of CUDA's two kinds of graph: the one that was captured, and the instantiated one that runs.
#pragma once

#include "backend/cuda/cleanup.h"

#include <memory>
#include <type_traits>

namespace graphed {

struct graph_deleter {
  void operator()(cudaGraph_t graph) const noexcept {
    const relaxed_capture_mode relaxed;
    warn_if_failed(cudaGraphDestroy(graph), "destroying a graph");
  }
};
using graph_handle = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, graph_deleter>;

/// Launches in flight finish first: CUDA frees the graph behind them.
struct graph_exec_deleter {
  void operator()(cudaGraphExec_t exec) const noexcept {
    const relaxed_capture_mode relaxed;
    warn_if_failed(cudaGraphExecDestroy(exec), "destroying an instantiated graph");
  }
};
using graph_exec_handle = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, graph_exec_deleter>;

}  // namespace graphed
