// SPDX-License-Identifier: Apache-2.0
//
// The value of a `key` or `const` parameter as bytes, which differ where values of its type do, and as text for messages.
#pragma once

#include <graphed/impl/printed.h>

#include <c10/core/Device.h>
#include <c10/core/Scalar.h>

#include <cstddef>
#include <cstdint>
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

/// `Bytes` is a std::string or a list of char.
template <class Bytes, class T>
void append_bytes(Bytes& bytes, const T& number) {
  const char* const first = reinterpret_cast<const char*>(&number);
  bytes.append(first, first + sizeof number);
}
template <class T>
T take_bytes(std::string_view& bytes) {
  T number;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return number;
}

/// Its type, and the number in that.
template <class Bytes>
void append_any_number(Bytes& bytes, const c10::Scalar& number) {
  append_bytes(bytes, number.type());
  switch (number.type()) {
    case c10::ScalarType::Double:
      return append_bytes(bytes, number.toDouble());
    case c10::ScalarType::ComplexDouble:
      return append_bytes(bytes, number.toComplexDouble());
    case c10::ScalarType::UInt64:
      return append_bytes(bytes, number.toUInt64());
    case c10::ScalarType::Bool:
      return append_bytes(bytes, number.toBool());
    default:
      return append_bytes(bytes, number.toLong());
  }
}
/// "1" of an integer, "1.0" of a double, "(1, 2)" of a complex number.
inline std::string take_any_number_text(std::string_view& bytes) {
  const auto text_of_double = [](double value) {
    const std::string text = Printed::text_of(value);
    return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
  };
  switch (take_bytes<c10::ScalarType>(bytes)) {
    case c10::ScalarType::Double:
      return text_of_double(take_bytes<double>(bytes));
    case c10::ScalarType::ComplexDouble: {
      const auto value = take_bytes<c10::complex<double>>(bytes);
      return '(' + text_of_double(value.real()) + ", " + text_of_double(value.imag()) + ')';
    }
    case c10::ScalarType::UInt64:
      return Printed::text_of(take_bytes<uint64_t>(bytes));
    case c10::ScalarType::Bool:
      return Printed::text_of(take_bytes<bool>(bytes));
    default:
      return Printed::text_of(take_bytes<int64_t>(bytes));
  }
}

}  // namespace detail

/// Appends a number, an enumerator, a string, a device, a c10::Scalar, or a std::optional, std::vector, std::array, at::ArrayRef or
/// c10::List of them. Floating-point values differ where their bits do, c10::Scalars also where their types do, lists where their lengths
/// or elements do.
template <class T>
void encode(std::string& bytes, const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    detail::append_bytes(bytes, value);
  } else if constexpr (std::is_same_v<T, c10::Device>) {
    detail::append_bytes(bytes, value.type());
    detail::append_bytes(bytes, value.index());
  } else if constexpr (std::is_same_v<T, c10::Scalar>) {
    detail::append_any_number(bytes, value);
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
  } else if constexpr (std::is_same_v<T, c10::Scalar>) {
    return detail::take_any_number_text(bytes);
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
