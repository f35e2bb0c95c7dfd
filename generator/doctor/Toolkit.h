// SPDX-License-Identifier: Apache-2.0
//
// The CUDA toolkit, which a build for GPUs needs.
#pragma once

#include "doctor/Finding.h"
#include "doctor/Torch.h"

#include <optional>

namespace graphgen::doctor {

struct Toolkit {
  std::string Nvcc;
  llvm::VersionTuple Version;
};

/// Where CMake's FindCUDAToolkit looks: CUDAToolkit_ROOT, CUDA_PATH, PATH, /usr/local/cuda.
std::optional<Toolkit> findToolkit();

/// `Used` is null where there is no LibTorch.
Finding judgeToolkit(const std::optional<Toolkit>& Found, const Torch* Used);

}  // namespace graphgen::doctor
