// SPDX-License-Identifier: Apache-2.0
//
// What a file has before it comes to LibTorch's headers: whether these can be taken as if they stood first.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <string>

namespace graphgen::scan {

class FrontEnd;
struct PrecompiledHeader;

struct Preamble {
  /// Of one file that is read in part or as a whole before the root.
  struct Text {
    bool IsSystem = false;
    bool HasPragma = false;     // that may change what follows
    bool HasMore = false;       // than directives: declarations
    llvm::StringSet<> Named;    // identifiers among its tokens, once macros are expanded
    llvm::StringSet<> Defined;  // macros, and those that are undefined
    /// Macros that are expanded or asked for by conditions, with the file that has defined them by then, or nothing.
    llvm::StringMap<std::string> Asked;
  };

  std::string Root;      // the first root that is included, as isRoot knows it; empty: none
  std::string RootPath;  // absolute
  bool HasRelativeRoot = false;
  std::map<std::string, Text> Files;  // by absolute path
};

/// Runs the preprocessor up to the root.
Preamble readPreamble(const FrontEnd& Compiler);

/// Why the root cannot be taken as if it were first, in words; empty where it can. `Header` is what was precompiled, or null: then that is
/// reported which is clear without a look at it. What has declarations before the root must compile alone as well: `compilesAlone`.
std::string whyOutOfOrder(const Preamble& Before, const PrecompiledHeader* Header);

/// Whether a file of the user's has declarations before the root.
bool hasDeclarations(const Preamble& Before, const PrecompiledHeader& Header);

}  // namespace graphgen::scan
