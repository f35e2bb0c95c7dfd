// SPDX-License-Identifier: Apache-2.0
//
// JSON, written: LibTorch's headers have no JSON library.
#pragma once

#include "report/text.h"

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>

namespace graphed::impl {

/// A number, a truth value, a text, a json_object or a json_array. Numbers are exact: of a floating-point number, which is finite, the
/// shortest text that is read back as the same.
template <class T>
std::string json_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    std::array<char, 32> text;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return json_string(value);
  } else {
    return value.text();
  }
}

class json_array {
 public:
  template <class T>
  void add(const T& element) {
    elements_ += (elements_.empty() ? "" : ", ") + json_text(element);
  }
  bool empty() const { return elements_.empty(); }
  std::string text() const { return "[" + elements_ + "]"; }

 private:
  std::string elements_;
};

/// Of anything that can be iterated.
template <class Range>
json_array json_array_of(const Range& range) {
  json_array made;
  for (const auto& each : range) {
    made.add(each);
  }
  return made;
}

class json_object {
 public:
  template <class T>
  void add(std::string_view key, const T& value) {
    add_text(key, json_text(value));
  }
  /// `value` is JSON.
  void add_text(std::string_view key, const std::string& value) {
    members_ += (members_.empty() ? "" : ", ") + json_string(key) + ": " + value;
  }
  std::string text() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

}  // namespace graphed::impl
