// SPDX-License-Identifier: Apache-2.0
//
// Owners of graphs, of the one that was captured and of the instantiated one that runs, and of events.
#pragma once

#include "backend/cuda/cleanup.h"

#include <memory>
#include <type_traits>

namespace graphed::impl {

/// Also while this thread captures. Launches in flight of an instantiated graph finish first: CUDA frees it behind them.
template <auto destroy>
struct destroyer {
  template <class Handle>
  void operator()(Handle handle) const noexcept {
    const relaxed_capture_mode relaxed;
    warn_if_failed(destroy(handle), "destroying a graph or an event");
  }
};

using graph_handle = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, destroyer<&cudaGraphDestroy>>;
using graph_exec_handle = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, destroyer<&cudaGraphExecDestroy>>;
using event_handle = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, destroyer<&cudaEventDestroy>>;

}  // namespace graphed::impl
