// SPDX-License-Identifier: Apache-2.0
//
// Paths of input files.
#include "driver/Input.h"

#include "plan/Plan.h"
#include "scan/Extensions.h"
#include "scan/GeneratedHeaders.h"
#include "scan/Readable.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace graphgen::driver {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string nameFrom(llvm::StringRef Folder, llvm::StringRef Absolute) {
  llvm::StringRef Name = Absolute;
  if (!Name.consume_front(Folder) || (!Folder.ends_with("/") && !Name.consume_front("/"))) {
    return path::filename(Absolute).str();
  }
  return Name.str();
}

/// ", 'policy.h'": the file beside a generated header, if it is made of that.
std::string origin(llvm::StringRef Generated) {
  const llvm::StringRef Stem = Generated.drop_back(llvm::StringRef(".graphed.h").size());
  for (const auto& Extensions : {scan::headerExtensions(), scan::sourceExtensions()}) {
    for (const llvm::StringRef Each : Extensions) {
      if (fs::exists(Stem + Each)) {
        return (", '" + Stem + Each + "'").str();
      }
    }
  }
  return {};
}

}  // namespace

std::string currentFolder() {
  llvm::SmallString<256> Folder;
  fs::current_path(Folder);
  return Folder.str().str();
}

llvm::Expected<Input> openInput(llvm::StringRef Given) {
  llvm::SmallString<256> Folder, Absolute(Given);
  if (const std::error_code Error = fs::current_path(Folder)) {
    return llvm::createStringError(Error, "cannot find the current folder");
  }
  fs::make_absolute(Absolute);
  path::remove_dots(Absolute, /*remove_dot_dot=*/true);
  Input Result{Given.str(), Absolute.str().str(), nameFrom(Folder, Absolute), scan::isHeader(Given), path::extension(Given) == ".cu"};
  if (llvm::Error Unspellable = plan::checkInputName(Result.Name)) {
    return Unspellable;
  }
  if (scan::isGeneratedHeader(Given)) {
    return llvm::createStringError("cannot read '" + Given + "', which is a generated header: name the file that it is generated from" +
                                   origin(Given));
  }
  if (const std::string Why = scan::whyUnreadable(Absolute); !Why.empty()) {
    return llvm::createStringError("cannot read '" + Given + "': " + Why);
  }
  return Result;
}

}  // namespace graphgen::driver
