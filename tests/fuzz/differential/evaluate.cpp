// SPDX-License-Identifier: Apache-2.0
#include "evaluate.h"

namespace graphed::fuzz {

const at::Tensor& evaluation::of(const value& value) const {
  switch (value.from) {
    case value::origin::argument:
      return arguments_[value.index];
    case value::origin::member:
      return outside_.members[value.index];
    default:
      return steps_[value.index];
  }
}

const at::Tensor& evaluation::run(const step& step) {
  tensor_list operands;
  for (const auto& operand : step.operands) {
    operands.push_back(of(operand));
  }
  const bool taken = !step.only_for_key || *step.only_for_key == outside_.key;
  steps_.push_back(taken ? step.op->apply({outside_.training}, operands, step.numbers) : operands[0]);
  return steps_.back();
}

tensor_list evaluate(const body& body, const closed_over& outside, const tensor_list& arguments) {
  evaluation values(outside, arguments);
  for (const auto& step : body.steps) {
    values.run(step);
  }
  tensor_list results;
  for (const auto& result : body.results) {
    results.push_back(result ? values.of(*result) : at::Tensor());
  }
  return results;
}

}  // namespace graphed::fuzz
