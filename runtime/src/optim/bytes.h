// SPDX-License-Identifier: Apache-2.0
//
// Values as bytes, to compare them later.
#pragma once

#include <string>

namespace graphed {

template <class... Values>
void append(std::string& bytes, const Values&... values) {
  (bytes.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
}

}  // namespace graphed
