// SPDX-License-Identifier: Apache-2.0
#include "sample.h"

#include "draws.h"

#include <ATen/ATen.h>
#include <torch/autograd.h>

#include <algorithm>

namespace graphed::fuzz {

at::Tensor make_member(const member& member, c10::ScalarType dtype, c10::Device device) {
  const auto options = at::TensorOptions(dtype).device(device);
  return member.is_parameter ? draw_normal(member.sizes, options).mul_(0.5).requires_grad_()
                             : draw_uniform(member.sizes, options).add_(0.5);
}

at::Tensor make_argument(const testing::argument& argument, const shape& sizes, bool requires_grad, c10::Device device) {
  if (!c10::isFloatingType(argument.dtype)) {
    return draw_integers(4, sizes, at::TensorOptions(argument.dtype).device(device));
  }
  at::Tensor made = draw_normal(sizes, at::TensorOptions(argument.dtype).device(device)).requires_grad_(requires_grad);
  return requires_grad && argument.inplace ? made.mul(1.5) : made;
}

tensor_list make_arguments(const body& body, int64_t rows) {
  tensor_list arguments;
  for (const auto& argument : body.arguments) {
    arguments.push_back(make_argument(argument, shape_of(argument, rows), argument.grad, at::kCPU));
  }
  return arguments;
}

bool goes_back(const tensor_list& results) {
  try {
    at::Tensor loss;
    for (const auto& result : results) {
      if (result.defined() && result.requires_grad()) {
        const at::Tensor sum = result.sum();
        loss = loss.defined() ? loss + sum : sum;
      }
    }
    if (loss.defined()) {
      loss.backward();
    }
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

namespace {

bool fit(program& program, const body& body) {
  closed_over outside;
  for (const auto& member : program.members) {
    outside.members.push_back(make_member(member, program.dtype, at::kCPU));
  }
  outside.rows = body.settings.sizes.front();
  evaluation values(body, outside, make_arguments(body, outside.rows));
  for (const auto& step : body.steps) {
    if (step.op->members != nullptr) {
      const auto wanted = step.op->members(values.of(step.operands[0])).sizes;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::size_t index = step.operands[step.operands.size() - wanted.size() + i].index;
        if (program.members[index].sizes != wanted[i]) {
          program.members[index].sizes = wanted[i];
          outside.members[index] = make_member(program.members[index], program.dtype, at::kCPU);
        }
      }
    }
    values.run(step);
  }
  tensor_list results;
  for (const auto& result : body.results) {
    results.push_back(result ? values.of(*result) : at::Tensor());
  }
  return goes_back(results);
}

}  // namespace

bool fit(program& program) {
  try {
    return std::all_of(program.bodies.begin(), program.bodies.end(), [&](const body& body) { return fit(program, body); });
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace graphed::fuzz
