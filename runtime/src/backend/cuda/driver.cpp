// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver.h"

#include <c10/cuda/CUDAException.h>
#include <c10/util/Exception.h>

namespace graphed {
namespace {

template <class Function>
Function entry_point(const char* name) {
  constexpr unsigned version = 12000;
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
  C10_CUDA_CHECK(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result));
  TORCH_CHECK(result == cudaDriverEntryPointSuccess, "graphed: the CUDA driver has no ", name, " of CUDA 12.0: update the driver");
  return reinterpret_cast<Function>(found);
}

}  // namespace

const driver& driver::get() {
  static const driver found{entry_point<PFN_cuGraphKernelNodeGetParams_v12000>("cuGraphKernelNodeGetParams"),
                            entry_point<PFN_cuGraphExecKernelNodeSetParams_v12000>("cuGraphExecKernelNodeSetParams"),
                            entry_point<PFN_cuGraphLaunch_v10000>("cuGraphLaunch")};
  return found;
}

}  // namespace graphed
