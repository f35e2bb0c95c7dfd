// SPDX-License-Identifier: Apache-2.0
//
// What a precompiled header in the cache was made from.
#pragma once

#include "scan/Precompile.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphgen::driver {

/// Of a file: its size, its inode, and when it was modified and changed, in nanoseconds. Writing to a file, or replacing it by another,
/// changes the last of them.
using Stamp = std::array<int64_t, 4>;

struct Manifest {
  scan::PrecompiledHeader Header;
  std::vector<Stamp> Stamps;  // of Header.Files, in that order
  Stamp BinaryStamp = {};     // of Header.Path, as is the next
  std::string BinaryDigest;   // empty where that is

  /// Whether the header is what would be made now, and its binary whole. Stamps that differ for the same bytes are updated, and `IsRenewed`
  /// set.
  bool holds(bool& IsRenewed);

  /// Moves the binary, which is whole, to `Path`. False where it cannot be moved there.
  bool moveBinary(const std::string& Path);

  /// A hash of all bytes that it was made from.
  std::string contentKey() const;

  /// Of one just made, without its binary. Nothing where a file holds other bytes than those that went in, or changes meanwhile. Clocks are
  /// not asked: that of the file system may be another's.
  static std::optional<Manifest> of(scan::PrecompiledHeader Made);

  std::string text() const;

  /// Nothing for what `text` did not write. `BinaryPath` is the place of the binary, if it has one.
  static std::optional<Manifest> read(llvm::StringRef Text, const std::string& BinaryPath);
};

}  // namespace graphgen::driver
