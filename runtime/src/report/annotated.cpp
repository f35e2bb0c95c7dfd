// SPDX-License-Identifier: Apache-2.0
#include "report/annotated.h"

#include "report/text.h"

#include <graphed/impl/printed.h>

#include <limits>
#include <sstream>
#include <utility>

namespace graphed::impl {

std::string annotated(c10::ScalarType dtype) {
  constexpr std::pair<c10::ScalarType, const char*> names[] = {{at::kDouble, "f64"},
                                                               {at::kFloat, "f32"},
                                                               {at::kHalf, "f16"},
                                                               {at::kBFloat16, "bf16"},
                                                               {at::kFloat8_e4m3fn, "f8e4m3"},
                                                               {at::kFloat8_e5m2, "f8e5m2"},
                                                               {at::kComplexFloat, "c64"},
                                                               {at::kComplexDouble, "c128"},
                                                               {at::kLong, "i64"},
                                                               {at::kInt, "i32"},
                                                               {at::kShort, "i16"},
                                                               {at::kChar, "i8"},
                                                               {at::kByte, "u8"},
                                                               {at::kBool, "bool"}};
  for (const auto& [known, name] : names) {
    if (known == dtype) {
      return name;
    }
  }
  return c10::toString(dtype);  // which cannot be annotated
}

std::string annotated(const TensorSpec& tensor) {
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

std::string Printed::text_of_floating(double value) {
  std::ostringstream text;
  text.precision(std::numeric_limits<double>::max_digits10);
  text << value;
  return text.str();
}

}  // namespace graphed::impl
