// SPDX-License-Identifier: Apache-2.0
#include "watch/frozen_update.h"

#include "report/text.h"

#include <cmath>
#include <optional>
#include <sstream>

namespace graphed {

// Where the operator has it, if it is one of those: torch/csrc/api/src/optim.
static std::optional<std::size_t> place_of_number(const c10::OperatorName& name) {
  if (name.name == "aten::add_" && name.overload_name == "Tensor") {
    return 2;
  }
  return name.name == "aten::addcdiv_" ? std::optional<std::size_t>(3) : std::nullopt;
}

std::string frozen_update(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                          c10::function_ref<bool(const at::Tensor&)> is_parameter) {
  const auto place = place_of_number(op.operator_name());
  if (!place || !is_parameter(arguments[0].toTensor()) || is_parameter(arguments[1].toTensor())) {
    return {};
  }
  const c10::Scalar number = arguments[*place].toScalar();
  if (!number.isFloatingPoint() || std::abs(number.toDouble()) == 1) {
    return {};
  }
  std::ostringstream out;
  out << "operator " << op.operator_name() << " steps a parameter of shape " << text(arguments[0].toTensor().sizes()) << " by the number "
      << number.toDouble();
  return out.str();
}

}  // namespace graphed
