// SPDX-License-Identifier: Apache-2.0
//
// The headers of C and C++, which may be included in any order.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace graphgen::scan {

/// Those beside the ones that a precompiled header has read.
class StandardHeaders {
 public:
  /// `Files`: absolute paths, of the precompiled header.
  explicit StandardHeaders(llvm::ArrayRef<std::string> Files);

  bool have(llvm::StringRef Path) const;

 private:
  std::vector<std::string> OfCxx, OfC;  // folders, with a '/' at the end
};

}  // namespace graphgen::scan
