// SPDX-License-Identifier: Apache-2.0
//
// By stat, and by the hash of the bytes.
#include "driver/Stamp.h"

#include "scan/Digest.h"

#include "llvm/Support/MemoryBuffer.h"

#include <sys/stat.h>

namespace graphgen::driver {
namespace {

int64_t nanoseconds(const timespec& Time) { return int64_t{Time.tv_sec} * 1'000'000'000 + Time.tv_nsec; }

}  // namespace

std::optional<Stamp> stampOf(const std::string& Path) {
  struct stat Known;
  if (stat(Path.c_str(), &Known) != 0) {
    return std::nullopt;
  }
  return Stamp{static_cast<uint64_t>(Known.st_size), Known.st_ino, nanoseconds(Known.st_mtim), nanoseconds(Known.st_ctim)};
}

std::string digestOfFile(const std::string& Path) {
  const auto Bytes = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return Bytes ? scan::digestOf((*Bytes)->getBuffer()) : std::string();
}

}  // namespace graphgen::driver
