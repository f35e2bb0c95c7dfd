// SPDX-License-Identifier: Apache-2.0
//
// CUDA calls where nothing may be thrown: destructors, and the unwinding of a capture that failed.
#pragma once

#include "report/log.h"

#include <cuda_runtime_api.h>

#include <exception>
#include <string>

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

}  // namespace graphed::impl
