// SPDX-License-Identifier: Apache-2.0
//
// Whether a file is as it was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

namespace graphgen::driver {

/// What the file system knows of a file. Whoever writes to a file, or puts another in its place, changes `Changed`.
struct Stamp {
  uint64_t Size = 0;
  uint64_t Node = 0;
  int64_t Modified = 0;  // nanoseconds since 1970
  int64_t Changed = 0;   // likewise

  bool operator==(const Stamp& Other) const {
    return std::tie(Size, Node, Modified, Changed) == std::tie(Other.Size, Other.Node, Other.Modified, Other.Changed);
  }
};

/// Nothing where it is no file that can be asked about.
std::optional<Stamp> stampOf(const std::string& Path);

/// A hash of the bytes, in hexadecimal digits; empty where they cannot be read.
std::string digestOfFile(const std::string& Path);

}  // namespace graphgen::driver
