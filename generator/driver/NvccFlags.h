// SPDX-License-Identifier: Apache-2.0
//
// The host code of .cu files, which Clang reads with what nvcc's command line says of it.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace graphgen::driver {

/// The nvcc that the command line calls, perhaps through a launcher; empty where it is another compiler.
llvm::StringRef nvccOf(llvm::ArrayRef<std::string> CommandLine);

/// What nvcc's command line says of how host code is read, as Clang spells it, and the nvcc's toolkit. Files of options are in `Folder`.
std::vector<std::string> flagsOfNvcc(llvm::ArrayRef<std::string> CommandLine, llvm::StringRef Folder);

/// By which Clang reads a .cu file for the host alone, beside `Flags`.
std::vector<std::string> flagsOfHostCode(llvm::ArrayRef<std::string> Flags);

}  // namespace graphgen::driver
