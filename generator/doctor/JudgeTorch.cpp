// SPDX-License-Identifier: Apache-2.0
//
// The versions that are supported are those of generator/cmake/GraphedTorch.cmake.
#include "doctor/Torch.h"

namespace graphgen::doctor {
namespace {

constexpr const char* Install =
    "install one by `pip install torch==" GRAPHGEN_TORCH_PINNED "`, or name an unpacked libtorch by the environment variable Torch_DIR";

std::string describe(const Torch& Found) {
  const std::string Kind = !Found.Cuda ? "for the CPU only" : "for CUDA " + (*Found.Cuda == 0 ? "?" : std::to_string(*Found.Cuda));
  return Found.Version.getAsString() + " " + Kind + ", " + Found.Root + " (" + Found.NamedBy + ")";
}

}  // namespace

Finding judgeTorch(const TorchSearch& Search, const Package& Built) {
  Finding Result{"LibTorch", "none", State::Error, {}};
  if (!Search.WrongVariable.empty()) {
    Result.Remedy = "the environment variable " + Search.WrongVariable +
                    " names no LibTorch: set it to an unpacked libtorch or to the folder of Python's torch, or unset it";
    return Result;
  }
  if (!Search.Found) {
    const std::string& Python = Search.ProblemOfPython;
    Result.Remedy = "no LibTorch was found" + (Python.empty() ? "" : ", and " + Python) + ": " + Install;
    return Result;
  }
  const Torch& Found = *Search.Found;
  Result.What = describe(Found);
  llvm::VersionTuple Oldest, TooNew, BuiltAgainst;
  Oldest.tryParse(GRAPHGEN_TORCH_OLDEST);
  TooNew.tryParse(GRAPHGEN_TORCH_TOO_NEW);
  const std::string Named = "LibTorch " + Found.Version.getAsString() + " in " + Found.Root;
  if (Found.Version < Oldest) {
    Result.Remedy = Named + " is older than " GRAPHGEN_TORCH_OLDEST ", the oldest that graphgen's runtime supports: " + Install;
  } else if (Found.Version >= TooNew) {
    Result.Remedy = Named + " is too new, graphgen's runtime supports versions before " GRAPHGEN_TORCH_TOO_NEW ": " + Install;
  } else if (!BuiltAgainst.tryParse(Built.TorchVersion) && Found.Version != BuiltAgainst) {
    Result.Remedy = Named + " is not the " + Built.TorchVersion +
                    " that the runtime was built against: name that one by the environment variable Torch_DIR, or build graphgen again";
  } else if (Found.IsPythons) {
    Result.Is = State::Note;
    Result.Remedy = "CMake does not look for LibTorch in Python's packages: configure your project with -DCMAKE_PREFIX_PATH=" + Found.Root;
  } else {
    Result.Is = State::Fits;
  }
  return Result;
}

}  // namespace graphgen::doctor
