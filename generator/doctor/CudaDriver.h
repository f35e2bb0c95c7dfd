// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's driver and the GPUs of this machine.
#pragma once

#include "doctor/Finding.h"
#include "doctor/Torch.h"

#include <optional>
#include <vector>

namespace graphgen::doctor {

struct CudaDriver {
  llvm::VersionTuple Cuda;  // the newest that it supports
  std::vector<std::string> Gpus;
};

/// Asks libcuda.so.1; nothing where that cannot be loaded.
std::optional<CudaDriver> findCudaDriver();

/// Of the driver, then of the GPUs. `Used` is null where there is no LibTorch.
std::vector<Finding> judgeCudaDriver(const std::optional<CudaDriver>& Found, const Torch* Used);

}  // namespace graphgen::doctor
