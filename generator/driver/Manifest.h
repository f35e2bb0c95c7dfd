// SPDX-License-Identifier: Apache-2.0
//
// What a precompiled header in the cache was made from.
#pragma once

#include "driver/Stamp.h"
#include "scan/Precompile.h"

#include <optional>
#include <string>
#include <vector>

namespace graphgen::driver {

struct Manifest {
  struct File {
    Stamp At;
    std::string Digest;
  };

  scan::PrecompiledHeader Header;
  std::vector<File> Files;  // of Header.Files, in that order
  File Binary;              // of Header.Path; unset where that is empty

  /// Whether the header is what would be made now, and its binary whole. Stamps that differ for the same bytes are brought up to date, and
  /// `IsRenewed` set.
  bool holds(bool& IsRenewed);

  /// A hash of all bytes that it was made from.
  std::string contentKey() const;

  /// Of one just made. Nothing where a file holds other bytes than those that went in, or changes meanwhile. Clocks are not asked: that of
  /// the file system may be another's.
  static std::optional<Manifest> of(scan::PrecompiledHeader Made);

  std::string text() const;

  /// Nothing for what `text` did not write. `Binary` is where the binary lies.
  static std::optional<Manifest> read(llvm::StringRef Text, std::string BinaryPath);
};

}  // namespace graphgen::driver
