// SPDX-License-Identifier: Apache-2.0
//
// A file named on the command line.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace graphgen::driver {

struct Input {
  std::string Given;     // on the command line
  std::string Absolute;  // without . and .., symbolic links kept
  /// Relative to the current folder, or the file's name alone where the file is not below it. So generated code names the file, and so its
  /// glue is placed below the output folder.
  std::string Name;
  bool IsHeader = false;
  bool IsCuda = false;  // a source for nvcc
};

/// Fails for a file that cannot be read, and for a name that generated code cannot hold.
llvm::Expected<Input> openInput(llvm::StringRef Given);

std::string currentFolder();

}  // namespace graphgen::driver
