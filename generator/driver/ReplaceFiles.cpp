// SPDX-License-Identifier: Apache-2.0
//
// Temporary files beside the originals, then renames.
#include "driver/ReplaceFiles.h"

#include "emit/TemporaryFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <vector>

namespace graphgen::driver {
namespace {

namespace fs = llvm::sys::fs;

llvm::Error failure(llvm::StringRef Path, const llvm::Twine& Why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "cannot write '" + Path + "': " + Why);
}

llvm::Expected<emit::TemporaryFile> prepare(const std::string& File, const report::FixedFile& Content) {
  llvm::SmallString<256> Path;
  if (const std::error_code Error = fs::real_path(File, Path)) {
    return failure(File, Error.message());
  }
  const auto Existing = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  const auto Permissions = fs::getPermissions(Path);
  if (!Existing || !Permissions) {
    return failure(File, (Existing ? Permissions.getError() : Existing.getError()).message());
  }
  if ((*Existing)->getBuffer() != Content.Before) {
    return failure(File, "it has changed since it was read");
  }
  if (const std::error_code Error = fs::access(Path, fs::AccessMode::Write)) {
    return failure(File, Error.message());
  }
  llvm::Expected<emit::TemporaryFile> New = emit::TemporaryFile::create(Path, Content.After, *Permissions);
  if (!New) {
    return failure(File, toString(New.takeError()));
  }
  return New;
}

}  // namespace

llvm::Error replaceFiles(const std::map<std::string, report::FixedFile>& Files) {
  std::vector<emit::TemporaryFile> All;
  llvm::Error Failed = llvm::Error::success();
  for (const auto& [File, Content] : Files) {
    llvm::Expected<emit::TemporaryFile> Next = prepare(File, Content);
    if (!Next) {
      Failed = joinErrors(std::move(Failed), Next.takeError());
      continue;
    }
    const bool IsKnown = llvm::any_of(All, [&](const emit::TemporaryFile& Each) { return Each.path() == Next->path(); });
    All.push_back(std::move(*Next));
    if (IsKnown) {
      Failed = joinErrors(std::move(Failed), failure(File, "it was read by another name as well"));
    }
  }
  const bool IsWritten = !Failed;
  for (emit::TemporaryFile& Each : All) {
    Failed = joinErrors(std::move(Failed), IsWritten ? Each.keep() : Each.discard());
  }
  return Failed;
}

}  // namespace graphgen::driver
