// SPDX-License-Identifier: Apache-2.0
#include "plan/InputBytes.h"

#include "plan/Sizes.h"
#include "plan/Units.h"

#include "annotation/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace graphgen::plan {

InputBytes::InputBytes(annotation::DType Type, ArrayRef<std::string> Extents) {
  auto Known = static_cast<uint64_t>(annotation::elementSize(Type));
  std::vector<std::string> Open;
  for (const std::string& Each : Extents) {
    if (const std::optional<int64_t> Number = numberIn(Each)) {
      Known *= static_cast<uint64_t>(*Number);
    } else {
      Open.push_back(all_of(Each, [](char C) { return isAlnum(C) || C == '_'; }) ? Each : "(" + Each + ")");
    }
  }
  Parts[join(Open, " * ")] = Known;
}

void InputBytes::add(const InputBytes& Others) {
  for (const auto& [Factor, Bytes] : Others.Parts) {
    uint64_t& Sum = Parts[Factor];
    Sum = SaturatingAdd(Sum, Bytes);
  }
}

std::string InputBytes::inWords() const {
  std::vector<std::string> Words;
  for (const auto& [Factor, Bytes] : Parts) {
    if (Bytes != 0 || Parts.size() == 1) {
      Words.push_back(bytesInWords(Bytes) + (Factor.empty() ? "" : " for each " + Factor));
    }
  }
  return Words.empty() ? bytesInWords(0) : join(Words, " and ");
}

}  // namespace graphgen::plan
