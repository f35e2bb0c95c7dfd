// SPDX-License-Identifier: Apache-2.0
//
// By openat and its like.
#include "emit/Folder.h"

#include "emit/TemporaryFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <cerrno>

using namespace llvm;

namespace graphgen::emit {
namespace {

constexpr int AsFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

Error failure() { return errorCodeToError(std::error_code(errno, std::generic_category())); }

/// Of a file with nothing else in the place of its name.
bool holds(int Folder, const std::string& Name, const struct stat& Known, StringRef Content) {
  const int File = openat(Folder, Name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (File < 0) {
    return false;
  }
  const ErrorOr<std::unique_ptr<MemoryBuffer>> Existing =
      MemoryBuffer::getOpenFile(File, Name, static_cast<uint64_t>(Known.st_size), /*RequiresNullTerminator=*/false);
  const bool IsSame = Existing && (*Existing)->getBuffer() == Content;
  sys::Process::SafelyCloseFileDescriptor(File);
  return IsSame;
}

}  // namespace

Expected<Folder> Folder::make(StringRef Path) {
  if (const std::error_code Failed = sys::fs::create_directories(Path)) {
    return errorCodeToError(Failed);
  }
  const int Descriptor = open(Path.str().c_str(), AsFolder);
  return Descriptor < 0 ? Expected<Folder>(failure()) : Folder(Descriptor);
}

Folder::~Folder() {
  if (Descriptor >= 0) {
    sys::Process::SafelyCloseFileDescriptor(Descriptor);
  }
}

Expected<Folder> Folder::makeFolder(const std::string& Name) const {
  constexpr mode_t Usual = 0777;
  if (mkdirat(Descriptor, Name.c_str(), Usual) != 0 && errno != EEXIST) {
    return failure();
  }
  const int Below = openat(Descriptor, Name.c_str(), AsFolder | O_NOFOLLOW);
  return Below < 0 ? Expected<Folder>(failure()) : Folder(Below);
}

Error Folder::write(const std::string& Name, StringRef Content) const {
  struct stat Known;
  if (fstatat(Descriptor, Name.c_str(), &Known, AT_SYMLINK_NOFOLLOW) == 0) {
    if (!S_ISREG(Known.st_mode)) {
      return createStringError("it is no regular file");
    }
    if (holds(Descriptor, Name, Known, Content)) {
      return Error::success();
    }
  }
  Expected<TemporaryFile> Temporary = TemporaryFile::create(Name, Content, sys::fs::all_read | sys::fs::all_write, Descriptor);
  return Temporary ? Temporary->keep() : Temporary.takeError();
}

}  // namespace graphgen::emit
