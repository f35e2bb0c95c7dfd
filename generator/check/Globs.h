// SPDX-License-Identifier: Apache-2.0
//
// A list of names with wildcards, in clang-tidy's syntax: "-*,graphed-host-*".
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace graphgen::check {

class Globs {
 public:
  /// Divided by commas; blanks around a glob are ignored.
  explicit Globs(llvm::StringRef List);

  /// The last glob that matches decides: without '-' it takes the name in, with '-' out.
  bool contains(llvm::StringRef Name) const;

  /// The first glob that matches none of the names; empty where there is none.
  llvm::StringRef useless(llvm::ArrayRef<llvm::StringRef> Names) const;

 private:
  struct Glob {
    std::string Text;
    bool IsTaken;
  };
  std::vector<Glob> All;
};

}  // namespace graphgen::check
