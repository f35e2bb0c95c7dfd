// SPDX-License-Identifier: Apache-2.0
//
// Other programs, asked for their versions.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace graphgen::doctor {

struct Answer {
  std::optional<std::string> Text;
  std::string Problem;  // "fails: exit code 1"; empty where there is a text
};

/// What the program prints to standard output.
Answer ask(llvm::StringRef Path, llvm::ArrayRef<llvm::StringRef> Arguments);

/// What to do about a program with a problem: "ninja, /usr/bin/ninja, fails: ..., check it".
std::string remedyOf(llvm::StringRef Name, llvm::StringRef Path, llvm::StringRef Problem);

/// The program of this name on PATH; empty where there is none.
std::string programOnPath(llvm::StringRef Name);

/// The first "1.2" or "1.2.3" of a text; empty where there is none.
std::string versionIn(llvm::StringRef Text);

}  // namespace graphgen::doctor
