// SPDX-License-Identifier: Apache-2.0
#include "watch/operator_kinds.h"

#include <string_view>

namespace graphed {

bool only_allocates(const c10::OperatorHandle& op) {
  const std::string_view name = op.operator_name().name;
  return name == "aten::empty" || name == "aten::empty_like" || name == "aten::empty_strided" || name == "aten::new_empty" ||
         name == "aten::new_empty_strided";
}

}  // namespace graphed
