// SPDX-License-Identifier: Apache-2.0
//
// The folder that keeps precompiled headers between runs.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphgen::driver {

/// Several processes may use it at once. Each user has a folder of their own in it, which nobody else may write to.
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
  std::string path(llvm::StringRef Name) const;

  /// The stems of kept manifests that begin with `Prefix`, the last used first.
  std::vector<std::string> stems(llvm::StringRef Prefix) const;

  /// Marks the manifest of `Stem` as used now.
  void touch(llvm::StringRef Stem) const;

  /// Removes what was used least until the rest fits the limit; `Stem` always stays, and so does what graphgen did not write.
  void shrink(llvm::StringRef Stem) const;

 private:
  std::string Own;
  uint64_t Limit;
};

/// Endings of the files that belong to a stem.
constexpr llvm::StringLiteral ManifestEnding = ".manifest";
constexpr llvm::StringLiteral BinaryEnding = ".pch";
constexpr llvm::StringLiteral UnfinishedEnding = ".new";  // and a process's number

/// Held until it is destroyed.
class CacheLock {
 public:
  /// Waits as long as a header takes to be made; nothing where that was in vain, or where the folder cannot be written to.
  static std::optional<CacheLock> take(const CacheFolder& Folder, llvm::StringRef Key);

  CacheLock(CacheLock&& Other) noexcept : File(std::exchange(Other.File, -1)) {}
  CacheLock& operator=(CacheLock&&) = delete;
  ~CacheLock();

 private:
  explicit CacheLock(int File) : File(File) {}

  int File;
};

}  // namespace graphgen::driver
