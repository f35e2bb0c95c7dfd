// SPDX-License-Identifier: Apache-2.0
//
// The bytes of tensors whose extents calls may show.
#pragma once

#include "annotation/Syntax.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <map>
#include <string>

namespace graphgen::plan {

/// By what they are multiplied with: the extents that are open, or nothing.
class InputBytes {
 public:
  InputBytes() = default;
  /// As extentsAt gives them.
  InputBytes(annotation::DType Type, llvm::ArrayRef<std::string> Extents);

  void add(const InputBytes& Others);

  /// "40 B", "1.0 KiB and 32 B for each B"
  std::string inWords() const;
  /// By "" or by "B", "B * (T + 1)".
  const std::map<std::string, uint64_t>& parts() const { return Parts; }

 private:
  std::map<std::string, uint64_t> Parts;
};

}  // namespace graphgen::plan
