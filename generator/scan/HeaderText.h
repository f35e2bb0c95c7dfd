// SPDX-License-Identifier: Apache-2.0
//
// What a header's text names, and which flags therefore matter to it.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace clang {
class CompilerInvocation;
}
namespace llvm::vfs {
class FileSystem;
}

namespace graphgen::scan {

class FrontEnd;

/// Hashes, sorted; of a header with all that it includes.
struct HeaderText {
  std::vector<uint64_t> Identifiers;  // every one that the preprocessor meets
  std::vector<uint64_t> Macros;       // that are defined at the end, but for those of the command line
  std::vector<uint64_t> Included;     // the first folder or file of each path that it includes, or asks for with __has_include
};

/// Whether the hash of `Name` is among `Hashes`.
bool contains(llvm::ArrayRef<uint64_t> Hashes, llvm::StringRef Name);

/// Runs the preprocessor over the root.
HeaderText readHeaderText(const FrontEnd& Compiler, llvm::StringRef Root);

/// Leaves -D, -U, -I and -iquote out of `Invocation`, but for those that can change what a header of this text is. These are definitions of
/// macros that it names, and folders with an entry of a name that it includes. Returns these in their order.
std::vector<std::string> keepWhatMatters(clang::CompilerInvocation& Invocation, const HeaderText& Text, llvm::vfs::FileSystem& Files);

}  // namespace graphgen::scan
