// SPDX-License-Identifier: Apache-2.0
//
// How messages show a number or a text that is kept as bytes.
#pragma once

#include <graphed/export.h>

#include <c10/core/DeviceType.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/ScalarType.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace graphed::impl {

/// A value within a row of bytes. Of a list of numbers the text has the first ones, and a number that differs where the others do.
class Printed {
 public:
  /// Its text costs nothing until it is asked for; `show` makes it from the value's bytes.
  Printed(std::size_t begin, std::size_t size, std::string (*show)(std::string_view bytes)) : begin_(begin), size_(size), text_(show) {}
  template <class T>
  static Printed of(std::size_t begin, std::size_t size) {
    return {begin, size, &text_of_bytes<T>};
  }
  std::string text(std::string_view bytes) const { return text_(bytes.substr(begin_, size_)); }

  /// "true", "3", "0.5", "\"text\"". Of an enumerator its number; of LibTorch's dtypes, layouts, memory formats and device types their
  /// name.
  template <class T>
  static std::string text_of(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      return value ? "true" : "false";
    } else if constexpr (std::is_same_v<T, c10::ScalarType> || std::is_same_v<T, c10::Layout> || std::is_same_v<T, c10::MemoryFormat> ||
                         std::is_same_v<T, c10::DeviceType>) {
      return name_of(value);
    } else if constexpr (std::is_enum_v<T>) {
      return std::to_string(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      return text_of_floating(static_cast<double>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      return std::to_string(value);
    } else {
      return '"' + std::string(std::string_view(value)) + '"';
    }
  }

  template <class T>
  static std::string text_of_bytes(std::string_view bytes) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      T value{};
      std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
      return text_of(value);
    } else {
      return text_of(bytes);
    }
  }
  /// "[1, 2, 3]", "[1, 2, 3, 4, ...] #9c3a1f02"
  template <class T>
  static std::string text_of_row(std::string_view bytes) {
    constexpr std::size_t shown = 4;
    std::string text;
    for (std::size_t i = 0; i < bytes.size() / sizeof(T) && i < shown; ++i) {
      text += (i == 0 ? "" : ", ") + text_of_bytes<T>(bytes.substr(i * sizeof(T), sizeof(T)));
    }
    return bytes.size() / sizeof(T) > shown ? '[' + text + ", ...] " + text_of_plain(bytes) : '[' + text + ']';
  }
  /// "#9c3a1f02": of bytes that have no other text.
  GRAPHED_API static std::string text_of_plain(std::string_view bytes);
  /// "app::Tanh": of the address of a std::type_info.
  GRAPHED_API static std::string text_of_type(std::string_view bytes);

 private:
  GRAPHED_API static std::string text_of_floating(double value);
  GRAPHED_API static std::string name_of(c10::ScalarType dtype);
  GRAPHED_API static std::string name_of(c10::Layout layout);
  GRAPHED_API static std::string name_of(c10::MemoryFormat format);
  GRAPHED_API static std::string name_of(c10::DeviceType type);

  std::size_t begin_, size_;
  std::string (*text_)(std::string_view bytes);
};

}  // namespace graphed::impl
