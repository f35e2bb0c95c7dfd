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

Toolkit findToolkit() {
  Toolkit Found;
  Found.Nvcc = findNvcc();
  if (Found.Nvcc.empty()) {
    Found.HasWrongRoot = !llvm::sys::Process::GetEnv("CUDAToolkit_ROOT").value_or("").empty();
    return Found;
  }
  const Answer Said = ask(Found.Nvcc, {"--version"});
  // "Cuda compilation tools, release 13.0, V13.0.88"
  const bool HasNone = Found.Version.tryParse(versionIn(llvm::StringRef(Said.Text.value_or("")).rsplit(", V").second));
  Found.Problem = Said.Text && HasNone ? "prints no version" : Said.Problem;
  return Found;
}

Finding judgeToolkit(const Toolkit& Found, const Torch* Used) {
  Finding Result{"CUDA toolkit", "none", State::Fits, {}};
  const bool IsForCpu = Used && !Used->Cuda;
  const bool HasCuda = Used && Used->Cuda.value_or(0) != 0;
  const std::string Wanted = HasCuda ? "CUDA " + std::to_string(*Used->Cuda) : "CUDA";
  const auto Note = [&](const std::string& Remedy) {
    Result.Is = State::Note;
    Result.Remedy = Remedy;
    return Result;
  };
  if (!Found.Problem.empty()) {
    Result.What = Found.Nvcc;
    return IsForCpu ? Result : Note(remedyOf("nvcc of the CUDA toolkit", Found.Nvcc, Found.Problem));
  }
  if (Found.HasWrongRoot && !IsForCpu) {
    return Note("the environment variable CUDAToolkit_ROOT names no CUDA toolkit: set it to the folder of one for " + Wanted +
                ", with bin/nvcc in it, or unset it; programs run on the CPU without one");
  }
  if (Found.Nvcc.empty()) {
    return IsForCpu ? Result
                    : Note("no CUDA toolkit was found: to build for GPUs install the toolkit of " + Wanted +
                           ", or name one by the environment variable CUDAToolkit_ROOT; programs run on the CPU without it");
  }
  const std::string Version = Found.Version.getAsString();
  Result.What = Version + ", " + Found.Nvcc;
  if (HasCuda && *Used->Cuda != Found.Version.getMajor()) {
    return Note("the CUDA toolkit is " + Version + ", and LibTorch is built for " + Wanted + ": to build for GPUs install the toolkit of " +
                Wanted + ", or a LibTorch for CUDA " + std::to_string(Found.Version.getMajor()));
  }
  return Result;
}

}  // namespace graphgen::doctor
