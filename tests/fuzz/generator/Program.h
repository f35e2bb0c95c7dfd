// SPDX-License-Identifier: Apache-2.0
//
// What one run of graphgen is given.
#pragma once

#include "driver/Options.h"

#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>
#include <utility>

namespace graphgen::fuzz {

/// This word is in strings, comments, keys and names of files and pools, and nowhere in code: where generated code has it as an identifier,
/// some text became code.
constexpr llvm::StringLiteral Marker = "INJECTED";

struct Program {
  driver::Options Given;                     // whose folders its caller sets
  std::map<std::string, std::string> Files;  // paths below the folder of the run
  std::pair<std::string, std::string> Link;  // a symbolic link below the output folder, and where it leads; empty: none
};

/// The first line says how graphgen is run; each other line is a callable, or something else at the scope of a file.
Program programOf(llvm::StringRef Bytes);

}  // namespace graphgen::fuzz
