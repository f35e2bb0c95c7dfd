// SPDX-License-Identifier: Apache-2.0
#include "driver/Outputs.h"

#include "plan/Plan.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace graphgen::driver {

namespace fs = llvm::sys::fs;

emit::OutputPaths outputsOf(const Input& File, llvm::StringRef OutDir) {
  plan::FilePlan Named;
  Named.Input = File.Name;
  Named.IsHeader = File.IsHeader;
  return emit::outputPaths(OutDir, Named);
}

std::string absolute(llvm::StringRef Path) {
  llvm::SmallString<256> Full(Path);
  fs::make_absolute(Full);
  llvm::sys::path::remove_dots(Full, /*remove_dot_dot=*/true);
  return Full.str().str();
}

bool isSame(llvm::StringRef A, llvm::StringRef B) {
  bool Same = false;
  return !fs::equivalent(A, B, Same) && Same;
}

/// An error where an option names an input, or a file that the run writes besides.
static llvm::Error checkSpares(const Options& Given, llvm::ArrayRef<Input> Inputs, llvm::StringRef Option, llvm::StringRef Path) {
  if (Path.empty()) {
    return llvm::Error::success();
  }
  const auto IsIt = [&](llvm::StringRef Other) { return !Other.empty() && (absolute(Other) == absolute(Path) || isSame(Other, Path)); };
  for (const Input& File : Inputs) {
    const emit::OutputPaths Outputs = outputsOf(File, Given.OutDir);
    for (const llvm::StringRef Other : {llvm::StringRef(File.Absolute), llvm::StringRef(Outputs.Header), llvm::StringRef(Outputs.Source),
                                        llvm::StringRef(Outputs.Manifest)}) {
      if (IsIt(Other)) {
        return llvm::createStringError(Option + " would overwrite '" + Other + "'");
      }
    }
  }
  return llvm::Error::success();
}

llvm::Error checkApart(const Options& Given, llvm::ArrayRef<Input> Inputs) {
  llvm::StringMap<llvm::StringRef> Writers;
  for (const Input& File : Inputs) {
    const std::string Header = outputsOf(File, Given.OutDir).Header;
    const auto [Other, IsNew] = Writers.try_emplace(Header, File.Given);
    if (!IsNew) {
      return llvm::createStringError("'" + Other->second + "' and '" + File.Given + "' would both write '" + Header + "'");
    }
  }
  if (!Given.Depfile.empty() && absolute(Given.Depfile) == absolute(Given.ExportFixes)) {
    return llvm::createStringError("--depfile and --export-fixes would both write '" + Given.Depfile + "'");
  }
  if (llvm::Error Error = checkSpares(Given, Inputs, "--depfile", Given.Depfile)) {
    return Error;
  }
  if (llvm::Error Error = checkSpares(Given, Inputs, "--summary", Given.Summary)) {
    return Error;
  }
  return checkSpares(Given, Inputs, "--export-fixes", Given.ExportFixes);
}

}  // namespace graphgen::driver
