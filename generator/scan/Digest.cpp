// SPDX-License-Identifier: Apache-2.0
//
// By BLAKE3.
#include "scan/Digest.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

namespace graphgen::scan {

std::string digestOf(llvm::StringRef Bytes) {
  constexpr size_t DigestSize = 16;
  return llvm::toHex(llvm::BLAKE3::hash<DigestSize>(llvm::arrayRefFromStringRef(Bytes)), /*LowerCase=*/true);
}

void ReadBytes::add(llvm::sys::fs::UniqueID File, llvm::StringRef Bytes) {
  const std::string Digest = digestOf(Bytes);
  const auto [Known, IsNew] = Digests.try_emplace(File, Digest);
  if (!IsNew && Known->second != Digest) {
    Known->second = "changed";
  }
}

std::string ReadBytes::digest(llvm::sys::fs::UniqueID File) const {
  const auto Known = Digests.find(File);
  return Known == Digests.end() ? std::string() : Known->second;
}

}  // namespace graphgen::scan
