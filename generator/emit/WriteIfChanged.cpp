// SPDX-License-Identifier: Apache-2.0
//
// Writing a file so that nobody sees half of it, and so that what did not change keeps its time.
#include "emit/WriteIfChanged.h"

#include "emit/TemporaryFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace graphgen::emit {
namespace {

Error failure(StringRef Path, const Twine& Reason) {
  return createStringError(inconvertibleErrorCode(), "cannot write '" + Path + "': " + Reason);
}

/// A device, a pipe: what no file can take the place of.
bool isSpecial(StringRef Path) {
  sys::fs::file_status Status;
  return !sys::fs::status(Path, Status) && Status.type() != sys::fs::file_type::regular_file && !sys::fs::is_directory(Status);
}

Error writeThrough(StringRef Path, StringRef Content) {
  std::error_code Failed;
  raw_fd_ostream Out(Path, Failed, sys::fs::CD_OpenExisting);
  if (!Failed) {
    Out << Content;
    Out.close();
    Failed = Out.error();
    Out.clear_error();
  }
  return Failed ? failure(Path, Failed.message()) : Error::success();
}

/// Behind symbolic links, which stay.
std::string target(StringRef Path) {
  SmallString<256> Real;
  return sys::fs::is_symlink_file(Path) && !sys::fs::real_path(Path, Real) ? Real.str().str() : Path.str();
}

bool holds(StringRef Path, StringRef Content) {
  const ErrorOr<std::unique_ptr<MemoryBuffer>> Existing = MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return Existing && (*Existing)->getBuffer() == Content;
}

}  // namespace

Error writeIfChanged(StringRef Path, StringRef Content) {
  if (isSpecial(Path)) {
    return writeThrough(Path, Content);
  }
  if (holds(Path, Content)) {
    return Error::success();
  }
  const StringRef Folder = sys::path::parent_path(Path);
  if (!Folder.empty()) {
    if (const std::error_code Failed = sys::fs::create_directories(Folder)) {
      return failure(Path, Failed.message());
    }
  }

  Expected<TemporaryFile> Temporary = TemporaryFile::create(target(Path), Content);
  if (!Temporary) {
    return failure(Path, toString(Temporary.takeError()));
  }
  if (Error Failed = Temporary->keep()) {
    return failure(Path, toString(std::move(Failed)));
  }
  return Error::success();
}

}  // namespace graphgen::emit
