// SPDX-License-Identifier: Apache-2.0
//
// Clang's own library reads the file, with those that it inherits from.
#include "doctor/Style.h"

#include "clang/Format/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

namespace graphgen::doctor {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string nearestFile() {
  llvm::SmallString<256> Folder;
  if (fs::current_path(Folder)) {
    return {};
  }
  for (llvm::StringRef Each = Folder; !Each.empty(); Each = path::parent_path(Each)) {
    for (const char* Name : {".clang-format", "_clang-format"}) {
      llvm::SmallString<256> File(Each);
      path::append(File, Name);
      if (fs::is_regular_file(File)) {
        return File.str().str();
      }
    }
  }
  return {};
}

}  // namespace

std::optional<Finding> judgeStyle() {
  const std::string File = nearestFile();
  if (File.empty()) {
    return std::nullopt;
  }
  Finding Result{".clang-format", File, State::Note, {}};
  const auto Ignore = [](const llvm::SMDiagnostic&, void*) {};
  llvm::Expected<clang::format::FormatStyle> Style =
      clang::format::getStyle("file", "policy.h", "none", /*Code=*/"int x;", /*FS=*/nullptr, /*AllowUnknownOptions=*/true, Ignore);
  if (!Style) {
    Result.Remedy = File + " cannot be read, " + toString(Style.takeError()) + ": fix it";
  } else if (!Style->DisableFormat && !llvm::is_contained(Style->WhitespaceSensitiveMacros, "GRAPHED")) {
    Result.Remedy = "clang-format would change annotations: add `WhitespaceSensitiveMacros: [GRAPHED]` to " + File;
  } else {
    Result.Is = State::Fits;
  }
  return Result;
}

}  // namespace graphgen::doctor
