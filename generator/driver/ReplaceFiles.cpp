// SPDX-License-Identifier: Apache-2.0
//
// Nothing is written before every file has been looked at.
#include "driver/ReplaceFiles.h"

#include "emit/WriteFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace graphgen::driver {
namespace {

namespace fs = llvm::sys::fs;

llvm::Error failure(llvm::StringRef Path, const llvm::Twine& Why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "cannot write '" + Path + "': " + Why);
}

/// Where to write: `File` behind links.
llvm::Expected<std::string> placeOf(const std::string& File, const report::FixedFile& Content) {
  llvm::SmallString<256> Path;
  if (const std::error_code Error = fs::real_path(File, Path)) {
    return failure(File, Error.message());
  }
  const auto Existing = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Existing) {
    return failure(File, Existing.getError().message());
  }
  if ((*Existing)->getBuffer() != Content.Before) {
    return failure(File, "it has changed since it was read");
  }
  if (const std::error_code Error = fs::access(Path, fs::AccessMode::Write)) {
    return failure(File, Error.message());
  }
  return Path.str().str();
}

}  // namespace

llvm::Error replaceFiles(const std::map<std::string, report::FixedFile>& Files) {
  llvm::StringMap<llvm::StringRef> NewContents;  // by place
  llvm::Error Failed = llvm::Error::success();
  for (const auto& [File, Content] : Files) {
    llvm::Expected<std::string> Place = placeOf(File, Content);
    if (!Place) {
      Failed = joinErrors(std::move(Failed), Place.takeError());
    } else if (!NewContents.try_emplace(*Place, Content.After).second) {
      Failed = joinErrors(std::move(Failed), failure(File, "it was read by another name as well"));
    }
  }
  if (Failed) {
    return Failed;
  }
  for (const auto& [Place, Content] : NewContents) {
    const llvm::ErrorOr<fs::perms> Permissions = fs::getPermissions(Place);
    Failed = joinErrors(std::move(Failed),
                        Permissions ? emit::replaceFile(Place, Content, *Permissions) : failure(Place, Permissions.getError().message()));
  }
  return Failed;
}

}  // namespace graphgen::driver
