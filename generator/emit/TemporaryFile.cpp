// SPDX-License-Identifier: Apache-2.0
//
// Named after the process and a random number, and made only where nothing has that name.
#include "emit/TemporaryFile.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>
#include <cerrno>
#include <cstdio>

using namespace llvm;

namespace graphgen::emit {
namespace {

constexpr int MostTries = 128;

std::error_code lastError() { return {errno, std::generic_category()}; }

std::error_code open(int Folder, StringRef Path, sys::fs::perms Permissions, int& Descriptor, std::string& Name) {
  std::error_code Failed;
  for (int Try = 0; Try < MostTries; ++Try) {
    Name = (Path + "." + Twine(sys::Process::getProcessId()) + "-" + Twine(sys::Process::GetRandomNumber()) + ".tmp").str();
    Descriptor = openat(Folder, Name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, static_cast<mode_t>(Permissions));
    Failed = Descriptor < 0 ? lastError() : std::error_code();
    if (Failed != std::errc::file_exists) {
      break;
    }
  }
  return Failed;
}

std::error_code writeAll(int Descriptor, StringRef Content) {
  raw_fd_ostream Out(Descriptor, /*shouldClose=*/true);
  Out << Content;
  Out.close();
  const std::error_code Failed = Out.error();
  Out.clear_error();
  return Failed;
}

}  // namespace

Expected<TemporaryFile> TemporaryFile::create(StringRef Path, StringRef Content, sys::fs::perms Permissions, int Folder) {
  int Descriptor = -1;
  std::string Name;
  if (const std::error_code Failed = open(Folder, Path, Permissions, Descriptor, Name)) {
    return errorCodeToError(Failed);
  }
  TemporaryFile Result(Path, Name, Folder);
  sys::RemoveFileOnSignal(Result.seenFromHere());
  if (const std::error_code Failed = writeAll(Descriptor, Content)) {
    return joinErrors(errorCodeToError(Failed), Result.discard());
  }
  return Result;
}

Error TemporaryFile::keep() {
  if (renameat(Folder, Name.c_str(), Folder, Path.c_str()) != 0) {
    return joinErrors(errorCodeToError(lastError()), discard());
  }
  sys::DontRemoveFileOnSignal(seenFromHere());
  return Error::success();
}

Error TemporaryFile::discard() {
  sys::DontRemoveFileOnSignal(seenFromHere());
  return unlinkat(Folder, Name.c_str(), 0) == 0 ? Error::success() : errorCodeToError(lastError());
}

/// A path for those that know no open folders.
std::string TemporaryFile::seenFromHere() const {
  return Folder == AT_FDCWD ? Name : "/proc/self/fd/" + std::to_string(Folder) + "/" + Name;
}

}  // namespace graphgen::emit
