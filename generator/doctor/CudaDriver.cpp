// SPDX-License-Identifier: Apache-2.0
//
// The driver's library is loaded by name, so that graphgen runs without one.
#include "doctor/CudaDriver.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DynamicLibrary.h"

#include <array>

namespace graphgen::doctor {
namespace {

using llvm::sys::DynamicLibrary;

/// A function of CUDA's driver API, which returns 0 where it succeeds.
template <class... Arguments>
bool call(DynamicLibrary& Library, const char* Name, Arguments... Given) {
  auto* const Function = reinterpret_cast<int (*)(Arguments...)>(Library.getAddressOfSymbol(Name));
  return Function && Function(Given...) == 0;
}

std::vector<std::string> gpusOf(DynamicLibrary& Library) {
  std::vector<std::string> Names;
  int Count = 0;
  if (!call(Library, "cuInit", 0U) || !call(Library, "cuDeviceGetCount", &Count)) {
    return Names;
  }
  for (int Index = 0; Index < Count; ++Index) {
    constexpr int Length = 256;
    std::array<char, Length> Name{};
    int Device = 0;
    const bool IsNamed = call(Library, "cuDeviceGet", &Device, Index) && call(Library, "cuDeviceGetName", Name.data(), Length - 1, Device);
    Names.emplace_back(IsNamed ? Name.data() : "unknown");
  }
  return Names;
}

}  // namespace

std::optional<CudaDriver> findCudaDriver() {
  std::string Why;
  DynamicLibrary Library = DynamicLibrary::getPermanentLibrary("libcuda.so.1", &Why);
  int Version = 0;
  if (!Library.isValid() || !call(Library, "cuDriverGetVersion", &Version)) {
    return std::nullopt;
  }
  constexpr int PerMajor = 1000, PerMinor = 10;
  CudaDriver Found;
  Found.Cuda = llvm::VersionTuple(Version / PerMajor, Version % PerMajor / PerMinor);
  Found.Gpus = gpusOf(Library);
  return Found;
}

std::vector<Finding> judgeCudaDriver(const std::optional<CudaDriver>& Found, const Torch* Used) {
  Finding Driver{"CUDA driver", "none", State::Fits, {}};
  Finding Gpus{"GPUs", "none", State::Fits, {}};
  const unsigned Wanted = Used ? Used->Cuda.value_or(0) : 0;
  const std::string Version = "CUDA " + std::to_string(Wanted);
  if (!Found) {
    Driver.Is = State::Note;
    Driver.Remedy = "no CUDA driver was found: to run on an NVIDIA GPU install its driver" +
                    (Wanted != 0 ? ", for " + Version + " or later" : "") + "; programs run on the CPU without it";
    return {Driver, Gpus};
  }
  Driver.What = "for CUDA up to " + Found->Cuda.getAsString();
  if (Found->Cuda.getMajor() < Wanted) {
    Driver.Is = State::Note;
    Driver.Remedy = "the CUDA driver supports CUDA up to " + Found->Cuda.getAsString() + ", and LibTorch is built for " + Version +
                    ": update the driver, or install a LibTorch for CUDA " + std::to_string(Found->Cuda.getMajor());
  }
  if (Found->Gpus.empty()) {
    Gpus.Is = State::Note;
    Gpus.Remedy = "the CUDA driver finds no GPU: check what nvidia-smi says, and CUDA_VISIBLE_DEVICES; programs run on the CPU without one";
  } else {
    Gpus.What = llvm::join(Found->Gpus, ", ");
  }
  if (Used && !Used->Cuda && !Found->Gpus.empty()) {
    Gpus.Is = State::Note;
    Gpus.Remedy = "LibTorch is for the CPU only: to use the GPU install a LibTorch for CUDA";
  }
  return {Driver, Gpus};
}

}  // namespace graphgen::doctor
