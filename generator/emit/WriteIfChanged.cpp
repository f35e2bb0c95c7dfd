// SPDX-License-Identifier: Apache-2.0
//
// Writing a file so that nobody sees half of it, and so that what did not change keeps its time.
#include "emit/WriteIfChanged.h"

#include "emit/TemporaryFile.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

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

  Expected<TemporaryFile> Temporary = TemporaryFile::create(Path, Content);
  if (!Temporary) {
    return failure(Path, toString(Temporary.takeError()));
  }
  if (Error Failed = Temporary->keep()) {
    return failure(Path, toString(std::move(Failed)));
  }
  return Error::success();
}

}  // namespace graphgen::emit
