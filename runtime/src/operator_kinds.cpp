// SPDX-License-Identifier: Apache-2.0
#include "operator_kinds.h"

#include <string_view>

namespace graphed {

bool only_allocates(const c10::OperatorHandle& op) {
  const std::string_view name = op.operator_name().name;
  return name == "aten::empty" || name == "aten::empty_like" || name == "aten::empty_strided" || name == "aten::new_empty" ||
         name == "aten::new_empty_strided";
}

bool waits_in_cusolver(const c10::OperatorHandle& op, c10::DispatchKeySet keys) {
  const std::string_view name = op.operator_name().name;
  return keys.highestBackendKey() == c10::BackendComponent::CUDABit &&
         (name == "aten::_linalg_eigh" || name == "aten::linalg_ldl_factor_ex");
}

}  // namespace graphed
