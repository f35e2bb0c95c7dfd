// SPDX-License-Identifier: Apache-2.0
//
// What generated code names private and protected methods by. Their class says `friend struct graphed::access;`, for which annotate.h is
// enough.
#pragma once

namespace graphed {

struct access {
  /// The address of the method that `Method` stands for; specialised by generated code.
  template <class Method>
  static constexpr auto method();
};

}  // namespace graphed
