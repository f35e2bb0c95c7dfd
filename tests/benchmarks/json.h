// SPDX-License-Identifier: Apache-2.0
//
// Text of JSON.
#pragma once

#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace benchmarks {

inline std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      made += '\\';
    }
    made += c == '\n' ? ' ' : c;
  }
  return made + '"';
}

template <class Number>
std::string number_or_null(const std::optional<Number>& number) {
  if (!number) {
    return "null";
  }
  std::ostringstream out;
  out.precision(10);
  out << *number;
  return out.str();
}

/// To five digits; of nothing null.
inline std::string numbers_or_null(const std::vector<double>& numbers) {
  if (numbers.empty()) {
    return "null";
  }
  std::ostringstream out;
  out.precision(5);
  const char* separator = "[";
  for (const double number : numbers) {
    out << separator << number;
    separator = ", ";
  }
  out << ']';
  return out.str();
}

}  // namespace benchmarks
