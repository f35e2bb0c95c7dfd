// SPDX-License-Identifier: Apache-2.0
//
// Writing a file so that nobody sees half of it, and so that what did not change keeps its time.
#include "emit/WriteIfChanged.h"

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

bool holds(StringRef Path, StringRef Content) {
  const ErrorOr<std::unique_ptr<MemoryBuffer>> Existing = MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return Existing && (*Existing)->getBuffer() == Content;
}

std::error_code writeAll(int Descriptor, StringRef Content) {
  raw_fd_ostream Out(Descriptor, /*shouldClose=*/false);
  Out << Content;
  Out.flush();
  const std::error_code Failed = Out.error();
  Out.clear_error();
  return Failed;
}

}  // namespace

Error writeIfChanged(StringRef Path, StringRef Content) {
  if (holds(Path, Content)) {
    return Error::success();
  }
  const StringRef Folder = sys::path::parent_path(Path);
  if (!Folder.empty()) {
    if (const std::error_code Failed = sys::fs::create_directories(Folder)) {
      return failure(Path, Failed.message());
    }
  }

  Expected<sys::fs::TempFile> Temporary = sys::fs::TempFile::create(Path + ".%%%%%%.tmp");
  if (!Temporary) {
    return failure(Path, toString(Temporary.takeError()));
  }
  if (const std::error_code Failed = writeAll(Temporary->FD, Content)) {
    return joinErrors(failure(Path, Failed.message()), Temporary->discard());
  }
  if (Error Failed = Temporary->keep(Path)) {  // which removes the temporary file
    return failure(Path, toString(std::move(Failed)));
  }
  return Error::success();
}

}  // namespace graphgen::emit
