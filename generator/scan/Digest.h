// SPDX-License-Identifier: Apache-2.0
//
// Bytes, known again.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem/UniqueID.h"

#include <map>
#include <string>

namespace graphgen::scan {

/// A hash, in hexadecimal digits.
std::string digestOf(llvm::StringRef Bytes);

/// What was read of files, by their identity, whatever path led to them.
class ReadBytes {
 public:
  void add(llvm::sys::fs::UniqueID File, llvm::StringRef Bytes);

  /// Of the file's bytes; empty where it was not read, and no digest at all where it was read twice and was not the same.
  std::string digest(llvm::sys::fs::UniqueID File) const;

 private:
  std::map<llvm::sys::fs::UniqueID, std::string> Digests;
};

}  // namespace graphgen::scan
