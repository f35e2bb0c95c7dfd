// SPDX-License-Identifier: Apache-2.0
//
// The value of a `key` or `const` parameter as bytes, which differ where values of its type do, and as text for messages.
#pragma once

#include <graphed/impl/printed.h>

#include <c10/core/Device.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace graphed::impl {

namespace detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
void append_bytes(std::string& bytes, const T& number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}
template <class T>
T take_bytes(std::string_view& bytes) {
  T number;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return number;
}

}  // namespace detail

/// Appends a number, an enumerator, a string, a device, or a std::optional, std::vector, std::array, at::ArrayRef or c10::List of them.
/// Floating-point values differ where their bits do, lists where their lengths or elements do.
template <class T>
void encode(std::string& bytes, const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    detail::append_bytes(bytes, value);
  } else if constexpr (std::is_same_v<T, c10::Device>) {
    detail::append_bytes(bytes, value.type());
    detail::append_bytes(bytes, value.index());
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    const std::string_view text = value;
    detail::append_bytes(bytes, text.size());
    bytes += text;
  } else if constexpr (detail::is_optional<T>) {
    detail::append_bytes(bytes, value.has_value());
    if (value) {
      encode(bytes, *value);
    }
  } else {
    detail::append_bytes(bytes, static_cast<std::size_t>(value.size()));
    for (std::size_t i = 0; i < value.size(); ++i) {
      encode<typename T::value_type>(bytes, value[i]);
    }
  }
}

/// The text of a value of this type that `bytes` begin with, which it takes from them: "3", "cuda:0", "none", "[3, 4]".
template <class T>
std::string take_text(std::string_view& bytes) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    return Printed::text_of(detail::take_bytes<T>(bytes));
  } else if constexpr (std::is_same_v<T, c10::Device>) {
    const auto type = detail::take_bytes<c10::DeviceType>(bytes);
    return c10::Device(type, detail::take_bytes<c10::DeviceIndex>(bytes)).str();
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    const auto size = detail::take_bytes<std::size_t>(bytes);
    const std::string_view text = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return Printed::text_of(text);
  } else if constexpr (detail::is_optional<T>) {
    return detail::take_bytes<bool>(bytes) ? take_text<typename T::value_type>(bytes) : "none";
  } else {
    std::string text;
    for (auto left = detail::take_bytes<std::size_t>(bytes); left != 0; --left) {
      text += (text.empty() ? "" : ", ") + take_text<typename T::value_type>(bytes);
    }
    return '[' + text + ']';
  }
}

}  // namespace graphed::impl
