// SPDX-License-Identifier: Apache-2.0
//
// CUDA calls where nothing may be thrown: destructors, and the unwinding of a capture that failed; and owners of graphs and events.
#pragma once

#include "report/log.h"

#include <cuda_runtime_api.h>

#include <exception>
#include <memory>
#include <string>
#include <type_traits>

namespace graphed::impl {

/// Warns if `action` failed. Silent at the end of the process, when CUDA has gone before its users.
inline void warn_if_failed(cudaError_t error, const char* action) noexcept {
  if (error == cudaSuccess || error == cudaErrorCudartUnloading || error == cudaErrorContextIsDestroyed) {
    return;
  }
  static_cast<void>(cudaGetLastError());
  try {
    warn(std::string("graphed: ") + action + " failed: " + cudaGetErrorString(error));
  } catch (...) {  // a warning handler of the user's that throws
  }
}

/// Runs `step`; what it throws becomes a warning.
template <class Step>
void warn_if_thrown(const char* action, Step&& step) noexcept {
  try {
    step();
  } catch (const std::exception& error) {
    try {
      warn(std::string("graphed: ") + action + " failed: " + error.what());
    } catch (...) {
    }
  }
}

/// While it lives, this thread may call what a capture in thread-local or global mode forbids: create cuBLAS handles, instantiate and
/// destroy graphs.
class relaxed_capture_mode {
 public:
  relaxed_capture_mode() noexcept { exchange(); }
  ~relaxed_capture_mode() { exchange(); }
  relaxed_capture_mode& operator=(relaxed_capture_mode&&) = delete;

 private:
  void exchange() noexcept { warn_if_failed(cudaThreadExchangeStreamCaptureMode(&mode_), "changing the thread's capture mode"); }
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

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
