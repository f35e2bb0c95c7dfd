// SPDX-License-Identifier: Apache-2.0
//
// A call's non-tensor arguments: `key` selects a capture, `const` must never change, `live` is read by the graph.
#pragma once

#include <graphed/impl/encoded.h>
#include <graphed/scalar.h>

#include <c10/util/SmallVector.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace graphed::impl {

/// The scalars of one call, in the order of the callable's parameters, lists and optionals of them included. Floating-point values are
/// compared by their bits.
class Scalars {
 public:
  struct key_value {
    const char* name;
    Printed value;
  };
  struct constant_value {
    const char* name;
    std::string bytes;
    Printed value;
  };
  struct live_value {
    const char* name;
    Scalar value;
  };

  /// One capture for each distinct value.
  template <class T>
  Scalars&& key(const char* name, const T& value) && {
    std::string bytes;
    encode(bytes, value);
    const std::size_t size = bytes.size();
    key_.append(reinterpret_cast<const char*>(&size), sizeof size);
    key_values_.push_back({name, {key_.size(), size, &text_of_bytes<T>}});
    key_ += bytes;
    return std::move(*this);
  }

  /// Another value than the first call's throws GuardError.
  template <class T>
  Scalars&& constant(const char* name, const T& value) && {
    std::string bytes;
    encode(bytes, value);
    const Printed all{0, bytes.size(), &text_of_bytes<T>};
    constants_.push_back({name, std::move(bytes), all});
    return std::move(*this);
  }

  /// Each replay reads this call's value.
  Scalars&& live(const char* name, const Scalar& value) && {
    live_.push_back({name, value});
    return std::move(*this);
  }

  const std::string& key_bytes() const { return key_; }
  /// Of which the bytes are in key_bytes().
  c10::ArrayRef<key_value> key_values() const { return key_values_; }
  const std::vector<constant_value>& constants() const { return constants_; }
  const std::vector<live_value>& live_values() const { return live_; }

 private:
  template <class T>
  static std::string text_of_bytes(std::string_view bytes) {
    return take_text<T>(bytes);
  }

  std::string key_;
  c10::SmallVector<key_value, 4> key_values_;
  std::vector<constant_value> constants_;
  std::vector<live_value> live_;
};

}  // namespace graphed::impl
