// SPDX-License-Identifier: Apache-2.0
//
// Names of temporary files are made here: LLVM's replace each '%' of a path.
#include "emit/WriteFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>

using namespace llvm;

namespace graphgen::emit {
namespace {

using std::filesystem::path;

Error refuse(StringRef Path, const Twine& Reason) {
  return createStringError(inconvertibleErrorCode(), "cannot write '" + Path + "': " + Reason);
}

Error errorOf(StringRef Path, std::error_code Failed) { return Failed ? refuse(Path, Failed.message()) : Error::success(); }

std::error_code write(StringRef Path, StringRef Content, sys::fs::CreationDisposition Disposition, unsigned Permissions) {
  int Descriptor = -1;
  if (const std::error_code Failed = sys::fs::openFileForWrite(Path, Descriptor, Disposition, sys::fs::OF_None, Permissions)) {
    return Failed;
  }
  raw_fd_ostream Out(Descriptor, /*shouldClose=*/true);
  Out << Content;
  Out.close();
  const std::error_code Failed = Out.error();
  Out.clear_error();
  return Failed;
}

/// What no file can take the place of.
bool isDeviceOrPipe(StringRef Path) {
  sys::fs::file_status Status;
  return !sys::fs::status(Path, Status) && Status.type() != sys::fs::file_type::regular_file && !sys::fs::is_directory(Status);
}

bool holds(StringRef Path, StringRef Content) {
  const ErrorOr<std::unique_ptr<MemoryBuffer>> Existing = MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return Existing && (*Existing)->getBuffer() == Content;
}

}  // namespace

Error checkStaysInside(StringRef OutDir, StringRef File) {
  std::error_code Failed;
  const path Here = std::filesystem::current_path(Failed);
  const path Folder = Failed ? path() : std::filesystem::weakly_canonical(Here / OutDir.str(), Failed);
  const path Place = Failed ? path() : std::filesystem::weakly_canonical(Here / File.str(), Failed);
  if (Failed) {
    return errorOf(File, Failed);
  }
  if (*Place.lexically_relative(Folder).begin() == "..") {
    return refuse(File, "a symbolic link leads it out of the output folder '" + OutDir + "', to '" + Place.string() + "'");
  }
  return Error::success();
}

Error replaceFile(StringRef Path, StringRef Content, sys::fs::perms Permissions) {
  SmallString<256> Place;
  if (sys::fs::real_path(Path, Place)) {
    Place = Path;
  }
  const std::string Temporary =
      (Place + "." + Twine(sys::Process::getProcessId()) + "-" + Twine(sys::Process::GetRandomNumber()) + ".tmp").str();
  sys::RemoveFileOnSignal(Temporary);
  std::error_code Failed = write(Temporary, Content, sys::fs::CD_CreateNew, Permissions);
  if (!Failed) {
    Failed = sys::fs::rename(Temporary, Place);
  }
  if (Failed) {
    sys::fs::remove(Temporary);
  }
  sys::DontRemoveFileOnSignal(Temporary);
  return errorOf(Path, Failed);
}

Error writeIfChanged(StringRef Path, StringRef Content) {
  if (isDeviceOrPipe(Path)) {
    return errorOf(Path, write(Path, Content, sys::fs::CD_OpenExisting, /*Permissions=*/0));
  }
  if (holds(Path, Content)) {
    return Error::success();
  }
  if (const StringRef Folder = sys::path::parent_path(Path); !Folder.empty()) {
    if (const std::error_code Failed = sys::fs::create_directories(Folder)) {
      return errorOf(Path, Failed);
    }
  }
  return replaceFile(Path, Content);
}

}  // namespace graphgen::emit
