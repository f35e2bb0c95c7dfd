// SPDX-License-Identifier: Apache-2.0
#include "report/text.h"

#include <graphed/impl/printed.h>

#include <c10/util/Type.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ios>
#include <limits>
#include <typeinfo>
#include <utility>

namespace graphed::impl {
namespace {

struct scaled_value {
  int64_t tenths;
  std::size_t unit;
};

// In the smallest unit in which the rounded value is below `step`, or else in the last unit.
scaled_value scale(double value, int64_t step, std::size_t last_unit) {
  std::size_t unit = 0;
  while (std::round(value * 10) >= static_cast<double>(step * 10) && unit < last_unit) {
    value /= static_cast<double>(step);
    ++unit;
  }
  return {std::llround(value * 10), unit};
}

std::string with_tenth(int64_t tenths) { return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10); }

// Of the character at the beginning of `text`, by table 3-7 of the Unicode standard; 0 where the bytes are not UTF-8.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length < 2) {
    return length;
  }
  const auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  if (length > text.size() || !std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length), is_continuation)) {
    return 0;
  }
  const bool is_overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool is_no_character = (first == 0xED && byte(1) >= 0xA0) || (first == 0xF4 && byte(1) >= 0x90);
  return is_overlong || is_no_character ? 0 : length;
}

std::string control_character(char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(c);
  return std::string("\\u00") + digits[code >> 4U] + digits[code & 0xFU];
}

}  // namespace

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

// By FNV-1a.
std::string Printed::text_of_plain(std::string_view bytes) {
  uint32_t hash = 2166136261U;
  for (const char each : bytes) {
    hash = (hash ^ static_cast<unsigned char>(each)) * 16777619U;
  }
  std::ostringstream text;
  text << '#' << std::hex << hash;
  return text.str();
}

std::string Printed::text_of_type(std::string_view bytes) {
  const std::type_info* type = nullptr;
  std::memcpy(&type, bytes.data(), std::min(sizeof type, bytes.size()));
  return type == nullptr ? std::string() : c10::demangle(type->name());
}

std::string Printed::name_of(c10::ScalarType dtype) { return annotated(dtype); }
std::string Printed::name_of(c10::Layout layout) { return impl::text(layout); }
std::string Printed::name_of(c10::MemoryFormat format) { return impl::text(format); }
std::string Printed::name_of(c10::DeviceType type) { return c10::DeviceTypeName(type, /*lower_case=*/true); }

std::string human_bytes(uint64_t bytes) {
  constexpr std::array units{" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  const auto [tenths, unit] = scale(static_cast<double>(bytes), 1024, units.size() - 1);
  return (unit == 0 ? std::to_string(bytes) : with_tenth(tenths)) + units[unit];
}

std::string human_time(double microseconds) {
  constexpr std::array units{" us", " ms", " s"};
  const auto [tenths, unit] = scale(microseconds, 1000, units.size() - 1);
  return (unit == 0 && tenths % 10 == 0 ? std::to_string(tenths / 10) : with_tenth(tenths)) + units[unit];
}

std::string listed(c10::ArrayRef<int64_t> numbers) {
  std::string words;
  for (const int64_t number : numbers) {
    words += (words.empty() ? "" : ", ") + std::to_string(number);
  }
  return words;
}

std::string counted(uint64_t count, const std::string& what) { return std::to_string(count) + " " + what + (count == 1 ? "" : "s"); }

std::string without_numbers(std::string_view text) {
  const auto is_part_of_word = [](char c) { return c == '_' || c == '.' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  std::string made;
  for (auto next = text.begin(); next != text.end();) {
    const auto end = std::find_if_not(next, text.end(), is_part_of_word);
    const bool is_number = end != next && std::isdigit(static_cast<unsigned char>(*next)) != 0 && (made.empty() || made.back() != ':');
    is_number ? made.append("#") : made.append(next, end);
    next = std::find_if(end, text.end(), is_part_of_word);
    made.append(end, next);
  }
  return made;
}

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char first = text.front();
    if (length == 0) {
      quoted += "\\ufffd";
    } else if (first == '"' || first == '\\') {
      quoted += {'\\', first};
    } else if (static_cast<unsigned char>(first) < 0x20) {
      quoted += control_character(first);
    } else {
      quoted += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return quoted + '"';
}

}  // namespace graphed::impl
