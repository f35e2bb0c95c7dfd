// SPDX-License-Identifier: Apache-2.0
//
// Functions of the driver that cost less than the runtime's, which look up a kernel or the context on each call. Found at run time: a
// machine without a GPU has no driver to link with.
#pragma once

#include <c10/cuda/CUDAException.h>
#include <c10/util/Exception.h>
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

namespace graphed::impl {

struct driver {
  PFN_cuGraphKernelNodeGetParams_v12000 kernel_params;
  PFN_cuGraphExecKernelNodeSetParams_v12000 set_kernel_params;
  PFN_cuGraphLaunch_v10000 launch;
  PFN_cuGraphAddKernelNode_v12000 add_kernel;  ///< of a function of the driver, which the runtime's refuses

  /// Throws c10::Error where the driver is older than CUDA 12.0.
  static const driver& get() {
    static const driver found{entry_point<PFN_cuGraphKernelNodeGetParams_v12000>("cuGraphKernelNodeGetParams"),
                              entry_point<PFN_cuGraphExecKernelNodeSetParams_v12000>("cuGraphExecKernelNodeSetParams"),
                              entry_point<PFN_cuGraphLaunch_v10000>("cuGraphLaunch"),
                              entry_point<PFN_cuGraphAddKernelNode_v12000>("cuGraphAddKernelNode")};
    return found;
  }

 private:
  template <class Function>
  static Function entry_point(const char* name) {
    constexpr unsigned version = 12000;
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    C10_CUDA_CHECK(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result));
    TORCH_CHECK(result == cudaDriverEntryPointSuccess, "graphed: the CUDA driver has no ", name, " of CUDA 12.0: update the driver");
    return reinterpret_cast<Function>(found);
  }
};

/// The numbers of the runtime's errors are the driver's.
inline cudaError_t as_runtime_error(CUresult result) { return static_cast<cudaError_t>(result); }

}  // namespace graphed::impl
