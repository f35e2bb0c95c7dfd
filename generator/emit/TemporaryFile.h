// SPDX-License-Identifier: Apache-2.0
//
// A file that takes another's place once it is whole.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

#include <fcntl.h>
#include <string>

namespace graphgen::emit {

/// Unlike LLVM's TempFile it takes a path with a '%' in it. It must be kept or discarded; a crash before that removes it.
class TemporaryFile {
 public:
  /// Holds `Content`, beside `Path`, which starts from the open folder `Folder` or else from the current one. The error is the reason
  /// alone.
  static llvm::Expected<TemporaryFile> create(llvm::StringRef Path, llvm::StringRef Content,
                                              llvm::sys::fs::perms Permissions = llvm::sys::fs::all_read | llvm::sys::fs::all_write,
                                              int Folder = AT_FDCWD);

  /// Puts it in the place of `Path`, a link included; removes it where that fails.
  llvm::Error keep();
  llvm::Error discard();

  const std::string& path() const { return Path; }

 private:
  TemporaryFile(llvm::StringRef Path, std::string Name, int Folder) : Path(Path.str()), Name(std::move(Name)), Folder(Folder) {}

  std::string seenFromHere() const;

  std::string Path;
  std::string Name;
  int Folder;
};

}  // namespace graphgen::emit
