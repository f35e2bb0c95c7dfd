// SPDX-License-Identifier: Apache-2.0
//
// Named after the process and a count, and made only where nothing has that name.
#include "emit/TemporaryFile.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace graphgen::emit {
namespace {

constexpr int MostTries = 128;

std::error_code open(StringRef Path, sys::fs::perms Permissions, int& Descriptor, std::string& Name) {
  std::error_code Failed;
  for (int Try = 0; Try < MostTries; ++Try) {
    Name = (Path + "." + Twine(sys::Process::getProcessId()) + "-" + Twine(sys::Process::GetRandomNumber()) + ".tmp").str();
    Failed = sys::fs::openFileForWrite(Name, Descriptor, sys::fs::CD_CreateNew, sys::fs::OF_None, Permissions);
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

Expected<TemporaryFile> TemporaryFile::create(StringRef Path, StringRef Content, sys::fs::perms Permissions) {
  int Descriptor = -1;
  std::string Name;
  if (const std::error_code Failed = open(Path, Permissions, Descriptor, Name)) {
    return errorCodeToError(Failed);
  }
  sys::RemoveFileOnSignal(Name);
  TemporaryFile Result(Path, Name);
  if (const std::error_code Failed = writeAll(Descriptor, Content)) {
    return joinErrors(errorCodeToError(Failed), Result.discard());
  }
  return Result;
}

Error TemporaryFile::keep() {
  if (const std::error_code Failed = sys::fs::rename(Name, Path)) {
    return joinErrors(errorCodeToError(Failed), discard());
  }
  sys::DontRemoveFileOnSignal(Name);
  return Error::success();
}

Error TemporaryFile::discard() {
  sys::DontRemoveFileOnSignal(Name);
  return errorCodeToError(sys::fs::remove(Name));
}

}  // namespace graphgen::emit
