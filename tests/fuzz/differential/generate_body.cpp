// SPDX-License-Identifier: Apache-2.0
#include "generate_body.h"

#include "rules.h"
#include "sample.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace graphed::fuzz {
namespace {

constexpr int64_t most_elements = 2048;

bool uses(const step& step, value value) { return std::find(step.operands.begin(), step.operands.end(), value) != step.operands.end(); }

class builder {
 public:
  builder(dice& dice, program& program) : dice_(dice), program_(program) {
    add_arguments();
    for (const auto& member : program.members) {
      outside_.members.push_back(make_member(member, program.dtype, at::kCPU));
    }
    add_settings();
  }

  /// False where the backward does not run, and mostly where there is none.
  bool build() {
    arguments_ = make_arguments(body_);
    evaluation values(outside_, arguments_);
    const std::size_t wanted = 2 + dice_.below(9);
    for (int attempt = 0; attempt < 100 && body_.steps.size() < wanted; ++attempt) {
      try_step(values);
    }
    add_results();
    tensor_list results;
    for (const auto& result : body_.results) {
      results.push_back(result ? values.of(*result) : at::Tensor());
    }
    const bool has_backward =
        std::any_of(results.begin(), results.end(), [](const at::Tensor& result) { return result.defined() && result.requires_grad(); });
    return (has_backward || dice_.chance(10)) && goes_back(results);
  }

  body take() { return std::move(body_); }

 private:
  void add_arguments();
  void add_settings();
  void add_results();
  shape random_shape();
  value random_value();
  void try_step(evaluation& values);
  bool may_write(const step& step);
  value member_of(const shape& sizes, bool is_parameter);

  dice& dice_;
  program& program_;
  body body_;
  closed_over outside_;
  tensor_list arguments_;
};

shape builder::random_shape() {
  const auto size = [&](std::size_t from, std::size_t to) { return static_cast<int64_t>(from + dice_.below(to - from + 1)); };
  switch (dice_.below(6)) {
    case 0:
      return {size(1, 2), size(1, 3), size(3, 5), size(3, 5)};
    case 1:
      return {size(1, 3), size(2, 4), size(2, 5)};
    case 2:
      return {size(1, 17)};
    default:
      return {size(1, 6), size(1, 9)};
  }
}

void builder::add_arguments() {
  const std::size_t count = dice_.chance(85) ? 1 + dice_.below(3) : 4;
  const shape common = random_shape();
  for (std::size_t i = 0; i < count; ++i) {
    testing::argument argument{"x" + std::to_string(i), dice_.chance(70) ? common : random_shape(), program_.dtype};
    argument.grad = dice_.chance(60);
    argument.inplace = dice_.chance(20);
    if (i > 0 && dice_.chance(10)) {
      argument = {argument.name, {common[0]}, at::kLong};
    }
    body_.arguments.push_back(argument);
  }
}

void builder::add_settings() {
  body_.settings.warmup = dice_.chance(30) ? 0 : dice_.chance(80) ? 1 : 2;
  body_.settings.outputs = dice_.chance(85) ? output_policy::keep : output_policy::clone;
  body_.settings.list = body_.arguments.size() > 3 || dice_.chance(15);
  body_.is_method = dice_.chance(50);
}

// Later values rather than earlier ones, so that steps build on one another.
value builder::random_value() {
  const std::size_t steps = body_.steps.size();
  if (steps != 0 && dice_.chance(65)) {
    return {value::origin::step, dice_.chance(50) ? steps - 1 : dice_.below(steps)};
  }
  if (!program_.members.empty() && dice_.chance(8)) {
    return {value::origin::member, dice_.below(program_.members.size())};
  }
  return {value::origin::argument, dice_.below(body_.arguments.size())};
}

value builder::member_of(const shape& sizes, bool is_parameter) {
  for (std::size_t i = 0; i < program_.members.size(); ++i) {
    if (program_.members[i].sizes == sizes && program_.members[i].is_parameter == is_parameter && dice_.chance(40)) {
      return {value::origin::member, i};
    }
  }
  program_.members.push_back({sizes, is_parameter});
  outside_.members.push_back(make_member(program_.members.back(), program_.dtype, at::kCPU));
  return {value::origin::member, program_.members.size() - 1};
}

bool builder::may_write(const step& step) {
  const value memory = memory_of(body_, step.operands[0]);
  if (memory.from == value::origin::argument) {
    return body_.arguments[memory.index].inplace || dice_.chance(5);
  }
  return memory.from == value::origin::step;
}

void builder::try_step(evaluation& values) {
  const operation& op = dice_.pick(operations());
  if (op.has(operation::rare) && !dice_.chance(10)) {
    return;
  }
  step step{&op, {}, {}, {}};
  for (std::size_t i = 0; i < op.operands; ++i) {
    step.operands.push_back(random_value());
  }
  for (std::size_t i = 0; i < op.numbers; ++i) {
    step.numbers.push_back(static_cast<int64_t>(dice_.below(4)));
  }
  if (op.has(operation::writes) && !may_write(step)) {
    return;
  }
  const std::size_t members_before = program_.members.size();
  const std::size_t steps_before = values.steps();
  try {
    if (op.members != nullptr) {
      const auto closure = op.members(values.of(step.operands[0]));
      for (std::size_t i = 0; i < closure.sizes.size(); ++i) {
        step.operands.push_back(member_of(closure.sizes[i], i + closure.buffers < closure.sizes.size()));
      }
    }
    const at::Tensor before = values.of(step.operands[0]);
    const at::Tensor made = values.run(step);
    if (made.numel() == 0 || made.numel() > most_elements || made.dim() > 4 || !made.isfinite().all().item<bool>()) {
      throw std::range_error("the result is of no use");
    }
    if (made.sizes() == before.sizes() && made.dtype() == before.dtype() && !op.has(operation::last) && dice_.chance(12)) {
      step.only_for_key = static_cast<int64_t>(dice_.below(3));
    }
    body_.steps.push_back(std::move(step));
  } catch (const std::exception&) {
    if (values.steps() > steps_before) {
      values.pop();
    }
    program_.members.resize(members_before);
    outside_.members.resize(members_before);
  }
}

// Values that no step uses first, so that little of the body is for nothing.
void builder::add_results() {
  std::vector<value> unused;
  for (std::size_t i = 0; i < body_.steps.size(); ++i) {
    const value made{value::origin::step, i};
    if (std::none_of(body_.steps.begin(), body_.steps.end(), [&](const step& step) { return uses(step, made); })) {
      unused.push_back(made);
    }
  }
  const std::size_t count = 1 + dice_.below(3);
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && dice_.chance(4)) {
      body_.results.emplace_back();
    } else if (!unused.empty() && dice_.chance(80)) {
      body_.results.push_back(unused.back());
      unused.pop_back();
    } else {
      body_.results.push_back(random_value());
    }
  }
}

}  // namespace

body generate_body(dice& dice, program& program) {
  const std::vector<member> members = program.members;
  for (;;) {
    builder builder(dice, program);
    if (builder.build() || dice.chance(5)) {
      return builder.take();
    }
    program.members = members;
  }
}

}  // namespace graphed::fuzz
