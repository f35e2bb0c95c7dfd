// SPDX-License-Identifier: Apache-2.0
//
// A toolkit is known by its nvcc.
#include "doctor/Toolkit.h"

#include "doctor/RunProgram.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

namespace graphgen::doctor {
namespace {

std::string nvccIn(llvm::StringRef Root) {
  llvm::SmallString<256> Path(Root);
  llvm::sys::path::append(Path, "bin", "nvcc");
  return llvm::sys::fs::can_execute(Path) ? Path.str().str() : std::string();
}

std::string findNvcc() {
  const auto Named = [](const char* Variable) { return llvm::sys::Process::GetEnv(Variable).value_or(""); };
  if (const std::string Root = Named("CUDAToolkit_ROOT"); !Root.empty()) {
    return nvccIn(Root);  // no other one is taken then
  }
  if (const std::string Root = Named("CUDA_PATH"); !Root.empty() && !nvccIn(Root).empty()) {
    return nvccIn(Root);
  }
  std::string OnPath = programOnPath("nvcc");
  return OnPath.empty() ? nvccIn("/usr/local/cuda") : OnPath;
}

}  // namespace

std::optional<Toolkit> findToolkit() {
  Toolkit Found;
  Found.Nvcc = findNvcc();
  const std::optional<std::string> Answer = Found.Nvcc.empty() ? std::nullopt : outputOf(Found.Nvcc, {"--version"});
  if (!Answer) {
    return std::nullopt;
  }
  // "Cuda compilation tools, release 13.0, V13.0.88"
  Found.Version.tryParse(versionIn(llvm::StringRef(*Answer).rsplit(", V").second));
  return Found;
}

Finding judgeToolkit(const std::optional<Toolkit>& Found, const Torch* Used) {
  Finding Result{"CUDA toolkit", "none", State::Fits, {}};
  const bool IsForCpu = Used && !Used->Cuda;
  const std::string Wanted = Used && Used->Cuda.value_or(0) != 0 ? "CUDA " + std::to_string(*Used->Cuda) : "CUDA";
  if (Found) {
    Result.What = Found->Version.getAsString() + ", " + Found->Nvcc;
  }
  if (!Found && !IsForCpu) {
    Result.Is = State::Note;
    Result.Remedy = "no CUDA toolkit was found: to build for GPUs install the toolkit of " + Wanted +
                    ", or name one by the environment variable CUDAToolkit_ROOT; programs run on the CPU without it";
  } else if (Found && Used && Used->Cuda.value_or(0) != 0 && *Used->Cuda != Found->Version.getMajor()) {
    Result.Is = State::Note;
    Result.Remedy = "the CUDA toolkit is " + Found->Version.getAsString() + ", and LibTorch is built for " + Wanted +
                    ": to build for GPUs install the toolkit of " + Wanted + ", or a LibTorch for CUDA " +
                    std::to_string(Found->Version.getMajor());
  }
  return Result;
}

}  // namespace graphgen::doctor
