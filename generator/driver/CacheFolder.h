// SPDX-License-Identifier: Apache-2.0
//
// The folder that keeps precompiled headers between runs.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphgen::driver {

/// Several processes may use it at once. Each user has a folder of their own in it, which nothing else may write to. Its files are named by
/// a stem, which is two keys of hexadecimal digits and a dash between them, and an ending.
class CacheFolder {
 public:
  /// `Limit` in bytes.
  CacheFolder(llvm::StringRef Folder, uint64_t Limit);

  /// $GRAPHGEN_CACHE, or graphgen in $XDG_CACHE_HOME or ~/.cache; empty where there is no such folder.
  static std::string usual();

  /// Whether the folder is there, made if need be. One that others may write to is never used.
  bool exists() const;

  /// Whether a file of so many bytes can be written: on a full disk, or beyond a quota, it cannot.
  bool hasRoom(uint64_t Bytes) const;

  /// The path of the file `Name`.
  std::string path(const llvm::Twine& Name) const { return (Own + "/" + Name).str(); }

  /// The stems that begin with `Prefix`, the last used first.
  std::vector<std::string> stems(llvm::StringRef Prefix) const;

  /// Removes what was used least until the rest matches the limit; `Stem` always stays, and so does what graphgen did not write.
  void shrink(llvm::StringRef Stem) const;

 private:
  std::string Own;
  uint64_t Limit;
};

}  // namespace graphgen::driver
