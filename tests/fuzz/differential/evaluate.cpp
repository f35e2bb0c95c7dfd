// SPDX-License-Identifier: Apache-2.0
#include "evaluate.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace graphed::fuzz {

shape shape_of(const testing::argument& argument, int64_t rows) {
  shape sizes = argument.shape;
  std::replace(sizes.begin(), sizes.end(), testing::B, rows);
  return sizes;
}

evaluation::evaluation(const body& body, const closed_over& outside, const tensor_list& arguments) : outside_(outside) {
  for (std::size_t i = 0; i < body.arguments.size(); ++i) {
    const auto& spec = body.arguments[i];
    const bool is_there = i < arguments.size() && arguments[i].defined();
    arguments_.push_back(is_there ? arguments[i]
                                  : at::ones(shape_of(spec, outside.rows), at::TensorOptions(spec.dtype).device(outside.device)));
  }
}

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
  steps_.push_back(taken ? step.op->apply({outside_.training, outside_.live}, operands, step.numbers) : operands[0]);
  return steps_.back();
}

tensor_list evaluate(const body& body, const closed_over& outside, const tensor_list& arguments) {
  evaluation values(body, outside, arguments);
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
