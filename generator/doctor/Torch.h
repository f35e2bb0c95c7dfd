// SPDX-License-Identifier: Apache-2.0
//
// The LibTorch that a build would take.
#pragma once

#include "doctor/Finding.h"
#include "doctor/Package.h"

#include "llvm/Support/VersionTuple.h"

#include <optional>

namespace graphgen::doctor {

struct Torch {
  std::string Root;
  std::string NamedBy;  // "Torch_DIR"
  bool IsPythons = false;
  llvm::VersionTuple Version;
  std::optional<unsigned> Cuda;  // its major version; nothing where this LibTorch is for the CPU only
};

struct TorchSearch {
  std::optional<Torch> Found;
  std::string WrongVariable;    // of the environment: it names no LibTorch, and a build would stop there
  std::string ProblemOfPython;  // which was asked for its packages: "/usr/bin/python3 fails: exit code 1"; may be empty
};

/// Looks where GraphedTorch.cmake looks, then at the torch of python3 on PATH.
TorchSearch findTorch(const Package& Built);

Finding judgeTorch(const TorchSearch& Search, const Package& Built);

}  // namespace graphgen::doctor
