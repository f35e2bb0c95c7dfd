// SPDX-License-Identifier: Apache-2.0
//
// Groups of one operator, for each row of the table and each dtype that it holds for.
#pragma once

#include "fusion/group.h"

#include <c10/util/Exception.h>

#include <string>
#include <string_view>
#include <vector>

namespace graphed::testing {

inline const std::vector<at::ScalarType>& fused_dtypes() {
  static const std::vector<at::ScalarType> all{at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kLong, at::kInt, at::kBool};
  return all;
}

/// A kernel that computes a row for contiguous tensors of `elements`, all of the dtype, with 2 for numbers.
inline impl::fusion::kernel one_operator(const impl::fusion::formula& row, at::ScalarType dtype, int64_t elements,
                                         const std::string& name) {
  using namespace impl::fusion;
  group made;
  made.sizes = {elements};
  step computed{&row, {}, dtype, row.is_boolean ? at::kBool : dtype};
  for (const char letter : std::string_view(row.arguments)) {
    if (letter == 'e' || letter == 'x' || letter == 'c') {
      computed.operands.push_back(operand::of_memory(made.memories.size()));
      made.memories.push_back({letter == 'c' ? at::kBool : dtype, {1}});
    } else if (std::string_view("ndlhsrR").find(letter) != std::string_view::npos) {
      computed.operands.push_back(operand::of_number(2));
    }
  }
  made.stores.push_back({0, made.memories.size()});
  made.memories.push_back({computed.dtype, {1}});
  made.steps.push_back(std::move(computed));
  return {name, {std::move(made)}};
}

}  // namespace graphed::testing
