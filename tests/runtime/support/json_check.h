// SPDX-License-Identifier: Apache-2.0
//
// Whether a text is one JSON document (RFC 8259). LibTorch's headers have no parser.
#pragma once

#include <algorithm>
#include <string_view>

namespace graphed::testing {

class json_check {
 public:
  explicit json_check(std::string_view text) : left_(text) {}

  bool is_document() { return value() && (skip(), left_.empty()); }

 private:
  void skip() { left_.remove_prefix(std::min(left_.find_first_not_of(" \t\r\n"), left_.size())); }
  bool take(std::string_view word) {
    skip();
    const bool is_next = left_.substr(0, word.size()) == word;
    left_.remove_prefix(is_next ? word.size() : 0);
    return is_next;
  }
  bool value() {
    if (take("{")) {
      return take("}") || list("}", [this] { return string() && take(":") && value(); });
    }
    if (take("[")) {
      return take("]") || list("]", [this] { return value(); });
    }
    return take("true") || take("false") || take("null") || string() || number();
  }
  template <class Element>
  bool list(std::string_view end, Element element) {
    do {
      if (!element()) {
        return false;
      }
    } while (take(","));
    return take(end);
  }
  bool string() {
    if (!take("\"")) {
      return false;
    }
    while (!left_.empty() && left_.front() != '"' && static_cast<unsigned char>(left_.front()) >= 0x20) {
      left_.remove_prefix(left_.front() == '\\' && left_.size() > 1 ? 2 : 1);
    }
    const bool is_closed = !left_.empty() && left_.front() == '"';
    left_.remove_prefix(is_closed ? 1 : 0);
    return is_closed;
  }
  bool number() {
    const auto length = std::min(left_.find_first_not_of("+-.0123456789e"), left_.size());
    const bool is_one = length != 0 && left_.front() != '+' && left_.front() != '.' && left_.front() != 'e';
    left_.remove_prefix(length);
    return is_one;
  }

  std::string_view left_;
};

inline bool is_json(std::string_view text) { return json_check(text).is_document(); }

}  // namespace graphed::testing
