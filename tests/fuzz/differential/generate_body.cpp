// SPDX-License-Identifier: Apache-2.0
#include "generate_body.h"

#include "declare.h"
#include "identity.h"
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
  builder(dice& dice, program& program, const conditions& on)
      : dice_(dice), program_(program), on_(on), body_(declare(dice, program.dtype)) {
    outside_.rows = body_.settings.sizes.front();
    for (const auto& member : program.members) {
      outside_.members.push_back(make_member(member, program.dtype, at::kCPU));
    }
  }

  /// False where the backward does not run, and mostly where there is none.
  bool build() {
    evaluation values(body_, outside_, make_arguments(body_, outside_.rows));
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
    drop_other_sizes();
    return (has_backward || dice_.chance(10)) && goes_back(results);
  }

  body take() { return std::move(body_); }

 private:
  void add_results();
  void drop_other_sizes();
  bool fits(const operation& op) const;
  value random_value();
  void try_step(evaluation& values);
  bool may_write(const step& step);
  value member_of(const shape& sizes, bool is_parameter);

  dice& dice_;
  program& program_;
  const conditions& on_;
  body body_;
  closed_over outside_;
};

// Later values rather than earlier ones, so that steps build on one another.
value builder::random_value() {
  const std::size_t steps = body_.steps.size();
  if (steps != 0 && dice_.chance(65)) {
    return {value::origin::step, dice_.chance(50) ? steps - 1 : dice_.below(steps)};
  }
  if (!program_.members.empty() && !body_.settings.pad && dice_.chance(8)) {
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

// Of a padded batch only what is right for each row alone is as the original function's (docs/reference/annotations.md, What padding cannot
// make right).
bool builder::fits(const operation& op) const {
  return (body_.live || !op.has(operation::live)) && !(on_.has_threads && (op.has(operation::draws) || op.has(operation::asks))) &&
         (!body_.settings.pad || op.has(operation::each));
}

void builder::try_step(evaluation& values) {
  const operation& op = dice_.pick(operations());
  if (!fits(op) || (op.has(operation::rare) && !dice_.chance(10))) {
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
    if (body_.settings.pad && (made.sizes() != before.sizes() || made.dtype() != before.dtype())) {
      throw std::range_error("its rows do not stay apart");
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

// Values that no step uses first, so that little of the body is without effect.
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

// At which the callable does not run.
void builder::drop_other_sizes() {
  auto& sizes = body_.settings.sizes;
  const auto throws = [&](int64_t rows) {
    try {
      closed_over outside = outside_;
      outside.rows = rows;
      evaluate(body_, outside, make_arguments(body_, rows));
      return false;
    } catch (const std::exception&) {
      return true;
    }
  };
  sizes.erase(std::remove_if(sizes.begin() + 1, sizes.end(), throws), sizes.end());
}

}  // namespace

body generate_body(dice& dice, program& program, const conditions& on) {
  const std::vector<member> members = program.members;
  for (;;) {
    builder builder(dice, program, on);
    if (builder.build() || dice.chance(5)) {
      return builder.take();
    }
    program.members = members;
  }
}

}  // namespace graphed::fuzz
