// SPDX-License-Identifier: Apache-2.0
#include "report/annotated.h"

#include "report/text.h"

#include <utility>

namespace graphed {

std::string annotated(c10::ScalarType dtype) {
  switch (dtype) {
    case at::kDouble:
      return "f64";
    case at::kFloat:
      return "f32";
    case at::kHalf:
      return "f16";
    case at::kBFloat16:
      return "bf16";
    case at::kFloat8_e4m3fn:
      return "f8e4m3";
    case at::kFloat8_e5m2:
      return "f8e5m2";
    case at::kComplexFloat:
      return "c64";
    case at::kComplexDouble:
      return "c128";
    case at::kLong:
      return "i64";
    case at::kInt:
      return "i32";
    case at::kShort:
      return "i16";
    case at::kChar:
      return "i8";
    case at::kByte:
      return "u8";
    case at::kBool:
      return "bool";
    default:
      return c10::toString(dtype);  // which cannot be annotated
  }
}

std::string annotated(const tensor_spec& tensor) {
  constexpr std::pair<unsigned, const char*> marks[] = {{flags::grad, " grad"},
                                                        {flags::inplace, " inplace"},
                                                        {flags::channels_last, " channels_last"},
                                                        {flags::static_address, " static"},
                                                        {flags::optional, " optional"}};
  std::string words = std::string(tensor.name) + ": " + annotated(tensor.dtype) + text(tensor.shape);
  for (const auto& [flag, mark] : marks) {
    words += (tensor.flags & flag) != 0 ? mark : "";
  }
  return words;
}

}  // namespace graphed
