// SPDX-License-Identifier: Apache-2.0
//
// What Clang refuses of a main file, it refuses without a buffer, on which its preprocessor relies.
#include "scan/Readable.h"

#include "clang/Basic/SourceManager.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <limits>

namespace graphgen::scan {

std::string whyUnreadable(llvm::StringRef Path) {
  llvm::sys::fs::file_status Status;
  if (const std::error_code Error = llvm::sys::fs::status(Path, Status)) {
    return Error.message();
  }
  if (!llvm::sys::fs::is_regular_file(Status)) {
    return llvm::sys::fs::is_directory(Status) ? "it is a folder" : "it is not a regular file";
  }
  if (Status.getSize() > static_cast<uint64_t>(std::numeric_limits<int>::max())) {
    return "it is larger than 2 GiB";
  }
  constexpr uint64_t LongestMark = 4;
  const auto Begin = llvm::MemoryBuffer::getFileSlice(Path, std::min(LongestMark, Status.getSize()), 0);
  if (!Begin) {
    return Begin.getError().message();
  }
  const char* Encoding = clang::SrcMgr::ContentCache::getInvalidBOM((*Begin)->getBuffer());
  return Encoding ? "it is in " + std::string(Encoding) + ", not in UTF-8" : "";
}

}  // namespace graphgen::scan
