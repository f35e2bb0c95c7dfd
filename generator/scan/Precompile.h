// SPDX-License-Identifier: Apache-2.0
//
// Precompiles a header of LibTorch.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphgen::scan {

class FrontEnd;

/// What a precompiled header was made from: it can be used as long as all of it is as it was.
struct PrecompiledHeader {
  std::string Path;                   // of the binary; empty: the header cannot be precompiled
  std::vector<std::string> Files;     // that were read; absolute, sorted
  std::vector<std::string> Missing;   // that were looked for and not found; absolute, sorted
  std::vector<uint64_t> Identifiers;  // hashes, sorted: every identifier that the preprocessor met
  std::vector<uint64_t> Macros;       // hashes, sorted: of the macros that are defined at the end, but for those of the command line

  bool reads(llvm::StringRef File) const;
};

/// Whether the hash of `Name` is among `Hashes`.
bool contains(llvm::ArrayRef<uint64_t> Hashes, llvm::StringRef Name);

/// The flags of Clang's front end that `Root` would be precompiled with, in order, and the folder that they start from: two files with the
/// same can share it. Nothing for flags that cannot be precompiled with.
std::optional<std::vector<std::string>> precompileFlags(const FrontEnd& Compiler, llvm::StringRef Root);

/// Precompiles the header into `Path`.
PrecompiledHeader precompile(const FrontEnd& Compiler, llvm::StringRef Root, llvm::StringRef Path);

}  // namespace graphgen::scan
