// SPDX-License-Identifier: Apache-2.0
//
// The CUDA toolkit, which a build for GPUs needs.
#pragma once

#include "doctor/Finding.h"
#include "doctor/Torch.h"

#include <string>

namespace graphgen::doctor {

struct Toolkit {
  std::string Nvcc;  // empty where there is no toolkit
  llvm::VersionTuple Version;
  std::string Problem;        // of nvcc: "fails: exit code 1"; empty where it shows its version
  bool HasWrongRoot = false;  // CUDAToolkit_ROOT of the environment names none
};

/// Where CMake's FindCUDAToolkit looks: CUDAToolkit_ROOT, CUDA_PATH, PATH, /usr/local/cuda.
Toolkit findToolkit();

/// `Used` is null where there is no LibTorch.
Finding judgeToolkit(const Toolkit& Found, const Torch* Used);

}  // namespace graphgen::doctor
