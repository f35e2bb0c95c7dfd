// SPDX-License-Identifier: Apache-2.0
//
// The places, and what makes a folder a LibTorch, are those of generator/cmake/GraphedTorch.cmake.
#include "doctor/Torch.h"

#include "doctor/RunProgram.h"
#include "driver/CacheFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Regex.h"

namespace graphgen::doctor {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string inFolder(llvm::StringRef Folder, llvm::StringRef Name) {
  llvm::SmallString<256> Path(Folder);
  path::append(Path, Name);
  return Path.str().str();
}

/// <folder>/lib/python3*/site-packages/torch
std::vector<std::string> inEnvironment(llvm::StringRef Folder) {
  std::vector<std::string> Found;
  std::error_code Error;
  for (fs::directory_iterator Each(inFolder(Folder, "lib"), Error), End; !Error && Each != End; Each.increment(Error)) {
    if (path::filename(Each->path()).starts_with("python3")) {
      Found.push_back(inFolder(Each->path(), "site-packages/torch"));
    }
  }
  llvm::sort(Found);
  return Found;
}

/// The folder of a LibTorch that `Folder` names: itself, what holds it, or its CMake files; empty where there is none.
std::string torchBelow(llvm::StringRef Folder) {
  std::vector<std::string> Candidates = {Folder.str(), inFolder(Folder, "torch"), inFolder(Folder, "libtorch")};
  llvm::append_range(Candidates, inEnvironment(Folder));
  Candidates.push_back(inFolder(Folder, "../.."));
  Candidates.push_back(inFolder(Folder, "../../.."));
  for (const std::string& Each : Candidates) {
    llvm::SmallString<256> Real;
    if (fs::exists(inFolder(Each, "lib/libtorch_cpu.so")) && fs::exists(inFolder(Each, "include/ATen/ATen.h")) &&
        !fs::real_path(Each, Real)) {
      return Real.str().str();
    }
  }
  return {};
}

llvm::VersionTuple versionOf(llvm::StringRef Root) {
  // The second is where LibTorch had it before 2.9.
  for (const llvm::StringRef Header : {"include/torch/headeronly/version.h", "include/torch/csrc/api/include/torch/version.h"}) {
    const auto Text = llvm::MemoryBuffer::getFile(inFolder(Root, Header), /*IsText=*/true);
    std::string Joined;
    for (const llvm::StringRef Part : {"MAJOR", "MINOR", "PATCH"}) {
      llvm::SmallVector<llvm::StringRef> Groups;
      const llvm::Regex Line(("define TORCH_VERSION_" + Part + " ([0-9]+)").str());
      if (Text && Line.match((*Text)->getBuffer(), &Groups)) {
        Joined += (Joined.empty() ? "" : ".") + Groups[1].str();
      }
    }
    llvm::VersionTuple Version;
    if (!Joined.empty() && !Version.tryParse(Joined)) {
      return Version;
    }
  }
  return {};
}

/// From the name of the CUDA runtime that it needs: libcudart.so.13, or with a hash in it.
std::optional<unsigned> cudaOf(llvm::StringRef Root) {
  if (!fs::exists(inFolder(Root, "lib/libtorch_cuda.so"))) {
    return std::nullopt;
  }
  const auto Library = llvm::MemoryBuffer::getFile(inFolder(Root, "lib/libc10_cuda.so"), /*IsText=*/false,
                                                   /*RequiresNullTerminator=*/false);
  llvm::SmallVector<llvm::StringRef> Groups;
  unsigned Major = 0;
  if (Library && llvm::Regex("libcudart(-[0-9a-f]+)?\\.so\\.([0-9]+)").match((*Library)->getBuffer(), &Groups)) {
    Groups[2].getAsInteger(10, Major);
  }
  return Major;
}

Torch read(std::string Root, std::string NamedBy) {
  Torch Found;
  Found.Version = versionOf(Root);
  Found.Cuda = cudaOf(Root);
  Found.Root = std::move(Root);
  Found.NamedBy = std::move(NamedBy);
  return Found;
}

/// The folder of the package `torch`, which is not imported.
std::string pythonsTorch(std::string& Problem) {
  constexpr llvm::StringLiteral Program =
      "import importlib.util, sys\n"
      "sys.path = [p for p in sys.path if p]\n"
      "spec = importlib.util.find_spec('torch')\n"
      "print(*(spec.submodule_search_locations or []) if spec else [], sep='\\n')\n";
  const std::string Python = programOnPath("python3");
  const Answer Said = Python.empty() ? Answer() : ask(Python, {"-c", Program});
  Problem = Said.Problem.empty() ? "" : Python + " " + Said.Problem;
  const llvm::StringRef Folder = Said.Text ? llvm::StringRef(*Said.Text).split('\n').first.trim() : "";
  return Folder.empty() ? std::string() : torchBelow(Folder);
}

}  // namespace

TorchSearch findTorch(const Package& Built) {
  struct Place {
    std::string Folder;
    std::string NamedBy;
  };
  std::vector<Place> Places;
  for (const char* Variable : {"Torch_DIR", "Torch_ROOT"}) {
    const std::string Value = llvm::sys::Process::GetEnv(Variable).value_or("");
    if (!Value.empty() && torchBelow(Value).empty()) {
      return {std::nullopt, Variable, {}};
    }
    Places.push_back({Value, Variable});
  }
  const std::string Prefixes = llvm::sys::Process::GetEnv("CMAKE_PREFIX_PATH").value_or("");
  for (const llvm::StringRef Each : llvm::split(Prefixes, ':')) {
    Places.push_back({Each.str(), "CMAKE_PREFIX_PATH"});
  }
  Places.push_back({Built.TorchRoot, "graphgen's package"});
  if (const std::string Cache = driver::CacheFolder::usual(); !Cache.empty()) {
    Places.push_back({inFolder(Cache, "torch-" GRAPHGEN_TORCH_PINNED), "the cache folder"});
  }
  for (const Place& Each : Places) {
    if (std::string Root = Each.Folder.empty() ? "" : torchBelow(Each.Folder); !Root.empty()) {
      return {read(std::move(Root), Each.NamedBy), {}, {}};
    }
  }
  TorchSearch None;
  std::string Pythons = pythonsTorch(None.ProblemOfPython);
  if (Pythons.empty()) {
    return None;
  }
  Torch Found = read(std::move(Pythons), "python3");
  Found.IsPythons = true;
  return {std::move(Found), {}, {}};
}

}  // namespace graphgen::doctor
