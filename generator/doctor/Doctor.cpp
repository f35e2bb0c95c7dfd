// SPDX-License-Identifier: Apache-2.0
//
// Each subject has a file of its own; here they come together.
#include "doctor/Doctor.h"

#include "doctor/CudaDriver.h"
#include "doctor/PrintFindings.h"
#include "doctor/Style.h"
#include "doctor/Toolkit.h"
#include "doctor/Tools.h"
#include "doctor/Torch.h"

#include "driver/CacheFolder.h"
#include "driver/ResourceDir.h"
#include "plan/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"

namespace graphgen::doctor {
namespace {

Finding judgeClangHeaders() {
  llvm::Expected<std::string> Folder = driver::findResourceDir();
  if (Folder) {
    return {"Clang's headers", *Folder, State::Fits, {}};
  }
  consumeError(Folder.takeError());
  const std::string Package = "clang-" + std::to_string(LLVM_VERSION_MAJOR);
  return {"Clang's headers", "none", State::Error, "Clang's own headers were not found: install the package " + Package};
}

Finding judgeCache(const driver::Options& Given) {
  const std::string Folder = Given.CacheDir.empty() ? driver::CacheFolder::usual() : Given.CacheDir;
  Finding Result{"cache", Folder.empty() ? "none" : Folder, State::Note, {}};
  const driver::CacheFolder Cache(Folder, Given.CacheSize);
  constexpr const char* Remedy =
      ": name a different one with the environment variable GRAPHGEN_CACHE; graphgen reads LibTorch's headers again for each file without "
      "it";
  if (Folder.empty()) {
    Result.Remedy = std::string("there is no folder for precompiled headers") + Remedy;
  } else if (!Cache.exists()) {
    Result.Remedy = "the cache folder " + Folder + " cannot be made, or others can write to it" + Remedy;
  } else if (!Cache.hasRoom(1)) {
    Result.Remedy = "the cache folder " + Folder + " cannot be written" + Remedy;
  } else {
    Result.Is = State::Fits;
  }
  return Result;
}

std::vector<Finding> findAll(const driver::Options& Given) {
  const std::string Program = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  const Package Built = packageOf(Program);
  const TorchSearch Search = findTorch(Built);
  const Torch* const Used = Search.Found ? &*Search.Found : nullptr;
  std::vector<Finding> All = {
      {"graphgen", plan::versionText() + ", " + Program, State::Fits, {}},
      {"LLVM and Clang", LLVM_VERSION_STRING, State::Fits, {}},
      judgeClangHeaders(),
      judgeTorch(Search, Built),
      judgeToolkit(findToolkit(), Used),
  };
  llvm::append_range(All, judgeCudaDriver(findCudaDriver(), Used));
  llvm::append_range(All, judgeTools());
  All.push_back(judgeCache(Given));
  if (std::optional<Finding> Style = judgeStyle()) {
    All.push_back(std::move(*Style));
  }
  return All;
}

}  // namespace

int runDoctor(const driver::Options& Given) {
  const std::vector<Finding> All = findAll(Given);
  (Given.Format == driver::Format::Json ? printJson : printText)(All, llvm::outs());
  return llvm::any_of(All, [](const Finding& Each) { return Each.Is == State::Error; }) ? 1 : 0;
}

}  // namespace graphgen::doctor
