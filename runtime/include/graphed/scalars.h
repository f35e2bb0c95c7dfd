// SPDX-License-Identifier: Apache-2.0
//
// A call's non-tensor arguments: `key` selects a capture, `const` must never change, `live` is read by the graph.
#pragma once

#include <graphed/export.h>
#include <graphed/scalar.h>

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace graphed {

/// The scalars of one call, in the order of the callable's parameters. Floating-point values are compared by their bits.
class GRAPHED_API scalars {
 public:
  struct constant_value {
    const char* name;
    std::string bytes;
    std::string text;  ///< for messages
  };
  struct live_value {
    const char* name;
    Scalar value;
  };

  /// One capture for each distinct value. The name is not used: it stands there as in constant(), for readers of generated code.
  template <class T>
  scalars&& key(const char* /*name*/, const T& value) && {
    const std::string bytes = encode(value);
    const std::size_t size = bytes.size();
    key_.append(reinterpret_cast<const char*>(&size), sizeof size);
    key_ += bytes;
    return std::move(*this);
  }

  /// Another value than the first call's throws guard_error.
  template <class T>
  scalars&& constant(const char* name, const T& value) && {
    constants_.push_back({name, encode(value), print(value)});
    return std::move(*this);
  }

  /// Each replay reads this call's value.
  scalars&& live(const char* name, const Scalar& value) && {
    live_.push_back({name, value});
    return std::move(*this);
  }

  const std::string& key_bytes() const { return key_; }
  const std::vector<constant_value>& constants() const { return constants_; }
  const std::vector<live_value>& live_values() const { return live_; }

 private:
  template <class T>
  static std::string encode(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      std::string bytes(sizeof(T), '\0');
      std::memcpy(bytes.data(), &value, sizeof(T));
      return bytes;
    } else {
      return std::string(std::string_view(value));
    }
  }

  template <class T>
  static std::string print(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      return value ? "true" : "false";
    } else if constexpr (std::is_enum_v<T>) {
      return std::to_string(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      return print_floating(static_cast<double>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      return std::to_string(value);
    } else {
      return '"' + std::string(std::string_view(value)) + '"';
    }
  }
  static std::string print_floating(double value);

  std::string key_;
  std::vector<constant_value> constants_;
  std::vector<live_value> live_;
};

}  // namespace graphed
