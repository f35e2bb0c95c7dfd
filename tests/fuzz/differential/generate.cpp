// SPDX-License-Identifier: Apache-2.0
#include "generate.h"

#include "generate_body.h"
#include "rules.h"
#include "sample.h"

#include <ATen/ATen.h>

namespace graphed::fuzz {
namespace {

using kind = action::kind;

// Undefined tensors where the callable throws, as one may whose shapes depend on values.
tensor_list sample_results(const program& program, const body& body) {
  closed_over outside;
  for (const auto& member : program.members) {
    outside.members.push_back(make_member(member, program.dtype, at::kCPU));
  }
  try {
    return evaluate(body, outside, make_arguments(body));
  } catch (const std::exception&) {
    return tensor_list(body.results.size());
  }
}

class caller {
 public:
  caller(dice& dice, program& program) : dice_(dice), program_(program) {
    for (const auto& body : program.bodies) {
      results_.push_back(sample_results(program, body));
    }
    usual_key_ = static_cast<int64_t>(dice.below(3));
    usual_loss_ = static_cast<action::loss>(dice.below(3));
    other_mode_ = static_cast<call_mode>(dice.below(5));
  }

  void act() {
    const std::size_t count = 20 + dice_.below(36);
    while (program_.actions.size() < count) {
      add(random_action());
    }
  }

 private:
  void add(action action) {
    program_.actions.push_back(std::move(action));
    if (broken_rule(program_) != nullptr) {
      program_.actions.pop_back();
      return;
    }
    const std::size_t call = program_.actions.back().call;
    if (program_.actions.back().what == kind::call && dice_.chance(60)) {
      add(random_backward(call));
      if (dice_.chance(55)) {
        add(drop(call));
      }
    }
  }
  static action drop(std::size_t call) {
    action made{kind::drop};
    made.call = call;
    return made;
  }
  action random_action();
  action random_call();
  action random_backward(std::size_t call);
  source random_source(const testing::argument& argument, std::size_t call, std::size_t body, std::size_t index);
  source fresh_source(const testing::argument& argument);

  dice& dice_;
  program& program_;
  std::vector<tensor_list> results_;  ///< samples of the bodies' results
  std::vector<std::size_t> bodies_;   ///< of the calls so far
  int64_t usual_key_;
  action::loss usual_loss_;
  call_mode other_mode_;
};

action caller::random_action() {
  if (bodies_.empty() || dice_.chance(42)) {
    return random_call();
  }
  action made{kind::backward};
  made.call = dice_.chance(50) ? bodies_.size() - 1 : dice_.below(bodies_.size());
  made.flag = dice_.chance(50);
  const std::size_t results = results_[bodies_[made.call]].size();
  const std::size_t roll = dice_.below(100);
  if (roll < 34) {
    return random_backward(made.call);
  }
  if (roll < 52) {
    made.what = roll < 38 ? kind::zero_grad : roll < 42 ? kind::take_grad : kind::drop;
  } else if (roll < 64) {
    made.what = kind::change_result;
    made.index = dice_.below(results);
  } else if (roll < 68) {
    made.what = kind::change_argument;
    made.index = dice_.below(program_.bodies[bodies_[made.call]].arguments.size());
  } else if (roll < 74) {
    made.what = kind::hook_result;
    made.index = dice_.below(results);
  } else if (roll < 80 || program_.members.empty()) {
    made.what = kind::descend;
  } else if (roll < 90) {
    made.what = roll < 86 ? kind::set_data : kind::freeze;
    made.index = dice_.below(program_.members.size());
    if (made.what == kind::freeze && !program_.members[made.index].is_parameter) {
      made.what = kind::set_data;
    }
  } else if (roll < 98) {
    made.what = kind::train;
  } else {
    made.what = kind::seed;
    made.index = dice_.below(5);
  }
  return made;
}

action caller::random_backward(std::size_t call) {
  action made{dice_.chance(85) ? kind::backward : kind::grad};
  made.call = call;
  made.flag = dice_.chance(25);
  const bool usual = dice_.chance(70);  // so that backwards are replayed
  made.how = usual ? usual_loss_ : static_cast<action::loss>(dice_.below(3));
  const std::size_t results = results_[bodies_[call]].size();
  for (std::size_t i = 0; i < results; ++i) {
    if (usual || dice_.chance(60)) {
      made.roots.push_back(i);
    }
  }
  if (made.roots.empty()) {
    made.roots.push_back(dice_.below(results));
  }
  return made;
}

action caller::random_call() {
  action made{kind::call};
  made.call = bodies_.size();
  made.body = dice_.below(program_.bodies.size());
  made.mode = dice_.chance(85) ? call_mode::training : other_mode_;
  made.key = dice_.chance(88) ? usual_key_ : static_cast<int64_t>(dice_.below(3));
  const auto& arguments = program_.bodies[made.body].arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    made.arguments.push_back(random_source(arguments[i], made.call, made.body, i));
  }
  bodies_.push_back(made.body);
  return made;
}

source caller::random_source(const testing::argument& argument, std::size_t call, std::size_t body, std::size_t index) {
  source made = fresh_source(argument);
  if (call == 0 || dice_.chance(60)) {
    return made;
  }
  made.call = dice_.below(call);
  if (dice_.chance(40) && bodies_[made.call] == body) {
    made.from = source::origin::again;
    made.how = source::form::as_declared;
    made.index = index;
    return made;
  }
  const tensor_list& results = results_[bodies_[made.call]];
  made.index = dice_.below(results.size());
  const at::Tensor& result = results[made.index];
  if (!result.defined() || result.sizes() != argument.shape || result.scalar_type() != argument.dtype) {
    return made;
  }
  made.from = source::origin::result;
  made.how = argument.grad ? source::form::as_declared : source::form::detached;
  return made;
}

source caller::fresh_source(const testing::argument& argument) {
  source made;
  if (dice_.chance(4)) {
    made.how = static_cast<source::form>(dice_.below(7));
  } else if (argument.grad && dice_.chance(20)) {
    made.how = source::form::with_history;
  }
  return made;
}

}  // namespace

program generate(uint64_t seed) {
  dice dice(seed);
  at::manual_seed(seed);
  program made{seed, dice.chance(85) ? at::kFloat : at::kDouble, {}, {}, {}};
  const std::size_t bodies = dice.chance(70) ? 1 : 2;
  while (made.bodies.size() < bodies) {
    made.bodies.push_back(generate_body(dice, made));
  }
  caller(dice, made).act();
  return made;
}

}  // namespace graphed::fuzz
