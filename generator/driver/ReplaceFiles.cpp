// SPDX-License-Identifier: Apache-2.0
//
// Temporary files beside the originals, then renames.
#include "driver/ReplaceFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

namespace graphgen::driver {
namespace {

namespace fs = llvm::sys::fs;

struct Prepared {
  std::string Path;
  fs::TempFile New;
};

llvm::Error failure(llvm::StringRef Path, const llvm::Twine& Why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "cannot write '" + Path + "': " + Why);
}

llvm::Expected<Prepared> prepare(const std::string& File, const report::FixedFile& Content) {
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
  llvm::Expected<fs::TempFile> New = fs::TempFile::create(Path + ".%%%%%%.tmp", *Permissions);
  if (!New) {
    return failure(File, toString(New.takeError()));
  }
  llvm::raw_fd_ostream Out(New->FD, /*shouldClose=*/false);
  Out << Content.After;
  Out.flush();
  if (const std::error_code Error = Out.error()) {
    Out.clear_error();
    return joinErrors(failure(File, Error.message()), New->discard());
  }
  return Prepared{Path.str().str(), std::move(*New)};
}

}  // namespace

llvm::Error replaceFiles(const std::map<std::string, report::FixedFile>& Files) {
  std::vector<Prepared> All;
  llvm::Error Failed = llvm::Error::success();
  for (const auto& [File, Content] : Files) {
    llvm::Expected<Prepared> Next = prepare(File, Content);
    if (!Next) {
      Failed = joinErrors(std::move(Failed), Next.takeError());
      continue;
    }
    const bool IsKnown = llvm::any_of(All, [&](const Prepared& Each) { return Each.Path == Next->Path; });
    All.push_back(std::move(*Next));
    if (IsKnown) {
      Failed = joinErrors(std::move(Failed), failure(File, "it was read by another name as well"));
    }
  }
  const bool IsWritten = !Failed;
  for (Prepared& Each : All) {
    Failed = joinErrors(std::move(Failed), IsWritten ? Each.New.keep(Each.Path) : Each.New.discard());
  }
  return Failed;
}

}  // namespace graphgen::driver
