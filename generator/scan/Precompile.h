// SPDX-License-Identifier: Apache-2.0
//
// Precompiles a header of LibTorch.
#pragma once

#include "scan/HeaderText.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace graphgen::scan {

/// What a precompiled header was made from: it can be used as long as all of it is as it was.
struct PrecompiledHeader {
  std::string Path;                  // of the binary; empty: the header cannot be precompiled
  std::vector<std::string> Flags;    // that matter to it, as keepWhatMatters knows them
  std::vector<std::string> Files;    // that were read; absolute, sorted
  std::vector<std::string> Digests;  // of one just made: of the bytes of Files that went in; empty for a file without
  std::vector<std::string> Missing;  // that were looked for and not found; absolute, sorted
  HeaderText Text;

  bool reads(llvm::StringRef File) const;
};

/// The flags of Clang's front end with which `Root` would be precompiled, in order, and the folder that they start from. They do not
/// include -D, -U, -I and -iquote: those that matter are the header's. Nothing for flags that do not allow precompiling.
std::optional<std::vector<std::string>> precompileFlags(const FrontEnd& Compiler, llvm::StringRef Root);

/// Whether `Header`, which was made with the same precompileFlags, is what the others of its flags would make.
bool suits(const PrecompiledHeader& Header, const FrontEnd& Compiler);

/// Precompiles the header into `Path`. Nothing where that cannot be written.
std::optional<PrecompiledHeader> precompile(const FrontEnd& Compiler, llvm::StringRef Root, llvm::StringRef Path);

}  // namespace graphgen::scan
