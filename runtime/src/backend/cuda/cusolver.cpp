// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/cusolver.h"

#include "watch/recorder.h"

#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_eigh.h>
#include <c10/core/GradMode.h>

#include <cuda_runtime.h>
#include <dlfcn.h>

namespace graphed {
namespace {

bool linear_algebra_is_loaded() {
  void* library = dlopen("libtorch_cuda_linalg.so", RTLD_LAZY | RTLD_NOLOAD);
  if (library != nullptr) {
    dlclose(library);
  }
  return library != nullptr;
}

}  // namespace

// The smallest call of those that were seen to take the error.
void take_error_from_cusolver(c10::Device device) noexcept {
  if (!linear_algebra_is_loaded()) {
    return;
  }
  const unrecorded_scope unseen;
  const c10::NoGradGuard no_grad;
  try {
    at::linalg_eigh(at::eye(2, at::TensorOptions(device)));
  } catch (const std::exception&) {  // it is the capture's, which has been told
    static_cast<void>(cudaGetLastError());
  }
}

}  // namespace graphed
