// SPDX-License-Identifier: Apache-2.0
//
// Whether a source, or a header that its text leads to, spells a name at all: whether a look at what it does with that is worth a scan.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace graphgen::scan {

/// Reads each file once.
class IncludedText {
 public:
  /// `CommandLine`: of the compiler; LibTorch's folders and those that a compiler knows by itself are left out. Paths are absolute, or
  /// relative to `Folder`. A header that a macro names may spell any name. Appends to `Read` all files that were looked at.
  bool spells(const std::string& Source, const llvm::StringSet<>& Names, llvm::ArrayRef<std::string> CommandLine, llvm::StringRef Folder,
              std::vector<std::string>& Read);

 private:
  struct File {
    llvm::StringSet<> Words;
    std::vector<std::string> Included;  // as spelled
    bool IncludesMacro = false;
  };
  const File* fileAt(const std::string& Path);

  llvm::StringMap<File> Files;
};

}  // namespace graphgen::scan
