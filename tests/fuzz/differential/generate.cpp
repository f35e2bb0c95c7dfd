// SPDX-License-Identifier: Apache-2.0
#include "generate.h"

#include "draws.h"
#include "generate_autograd.h"
#include "generate_body.h"
#include "identity.h"
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
    outside.rows = body.settings.sizes.front();
    return evaluate(body, outside, make_arguments(body, outside.rows));
  } catch (const std::exception&) {
    return tensor_list(body.results.size());
  }
}

class caller {
 public:
  caller(dice& dice, program& program, const conditions& on) : dice_(dice), program_(program), on_(on) {
    for (const auto& body : program.bodies) {
      results_.push_back(sample_results(program, body));
    }
    usual_key_ = static_cast<int64_t>(dice.below(3));
    usual_loss_ = static_cast<action::loss>(dice.below(3));
    other_mode_ = static_cast<call_mode>(dice.below(on.has_threads ? 3 : 5));  // the last two use autocast
  }

  void act() {
    const std::size_t count = (on_.in_flight ? 60 : 20) + dice_.below(36);  // each slot is to replay
    while (program_.actions.size() < count) {
      if (on_.in_flight && dice_.chance(65)) {
        fly();
      } else {
        add(random_action());
      }
    }
  }

 private:
  /// False where it would break a rule.
  bool append(action action) {
    program_.actions.push_back(std::move(action));
    const bool is_allowed = broken_rule(program_, program_.actions.size() - 1) == nullptr;
    if (!is_allowed) {
      program_.actions.pop_back();
    }
    return is_allowed;
  }
  void add(action action) {
    if (!append(std::move(action))) {
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
  void fly();
  action random_action();
  action random_call(const action* like = nullptr);
  action random_prepare();
  void choose_scalars(action& call);
  action random_backward(std::size_t call);
  source random_source(const action& call, std::size_t index);
  source fresh_source(const testing::argument& argument);

  dice& dice_;
  program& program_;
  const conditions& on_;
  std::vector<tensor_list> results_;  ///< samples of the bodies' results
  std::vector<std::size_t> bodies_;   ///< of the calls so far
  int64_t usual_key_;
  action::loss usual_loss_;
  call_mode other_mode_;
};

// Several calls of one callable, then their backwards: one through all of them, or several in either order. Then they are let go of, one
// after the other, so that the next calls are given the memory of these.
void caller::fly() {
  std::vector<std::size_t> calls;
  action usual = random_call();
  usual.mode = call_mode::training;
  for (std::size_t count = 2 + dice_.below(4); count > 0; --count) {
    const action next = calls.empty() ? usual : random_call(&usual);
    if (append(next)) {
      calls.push_back(next.call);
    }
  }
  if (calls.empty()) {
    return;
  }
  if (dice_.chance(50)) {
    action through_all = random_backward(calls.back());
    through_all.what = kind::backward;
    through_all.flag = false;
    through_all.how = usual_loss_;
    through_all.others.assign(calls.begin(), calls.end() - 1);
    append(through_all);
  } else {
    const bool is_reversed = dice_.chance(50);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      append(random_backward(calls[is_reversed ? calls.size() - 1 - i : i]));
    }
  }
  for (const std::size_t call : calls) {
    if (dice_.chance(85)) {
      append(drop(call));
    }
  }
  if (dice_.chance(50)) {
    append(action{dice_.chance(50) ? kind::descend : kind::zero_grad});
  }
}

action caller::random_action() {
  if (dice_.chance(4)) {
    return random_prepare();
  }
  if (bodies_.empty() || dice_.chance(42)) {
    return random_call();
  }
  action made{kind::backward};
  made.call = dice_.chance(50) ? bodies_.size() - 1 : dice_.below(bodies_.size());
  made.flag = dice_.chance(50);
  const std::size_t results = results_[bodies_[made.call]].size();
  const std::size_t roll = dice_.below(100);
  if (dice_.chance(20)) {
    return random_autograd_action(dice_, program_, program_.bodies[bodies_[made.call]], made.call);
  }
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
  for (std::size_t other = 0; other < bodies_.size() && made.what == kind::backward; ++other) {
    if (other != call && dice_.chance(8) && call_action(program_, other) != nullptr) {
      made.others.push_back(other);
    }
  }
  made.used = dice_.chance(10) ? random_parameter(dice_, program_) : std::nullopt;
  made.only = dice_.chance(6) ? random_parameter(dice_, program_) : std::nullopt;
  return made;
}

action caller::random_call(const action* like) {
  action made{kind::call};
  if (like != nullptr) {
    made = *like;
    made.arguments.clear();
  } else {
    choose_scalars(made);
  }
  made.call = bodies_.size();
  const body& body = program_.bodies[made.body];
  for (std::size_t i = 0; i < body.arguments.size(); ++i) {
    made.arguments.push_back(random_source(made, i));
  }
  if (body.settings.list && made.arguments.size() > 1 && dice_.chance(5)) {
    made.arguments.pop_back();
  }
  bodies_.push_back(made.body);
  return made;
}

action caller::random_prepare() {
  action made{kind::prepare};
  choose_scalars(made);
  for (const auto& argument : program_.bodies[made.body].arguments) {
    made.arguments.push_back(fresh_source(argument));
  }
  return made;
}

void caller::choose_scalars(action& call) {
  static const std::vector<double> live_values{0.5, 1.5, -0.25, 2, 3};
  call.body = dice_.below(program_.bodies.size());
  call.mode = dice_.chance(85) ? call_mode::training : other_mode_;
  call.key = dice_.chance(88) ? usual_key_ : static_cast<int64_t>(dice_.below(3));
  const auto& settings = program_.bodies[call.body].settings;
  const bool any_size = settings.pad || dice_.chance(5);
  call.rows =
      any_size ? static_cast<int64_t>(1 + dice_.below(static_cast<std::size_t>(settings.sizes.back()) + 1)) : dice_.pick(settings.sizes);
  call.live = dice_.pick(live_values);
}

source caller::random_source(const action& action, std::size_t index) {
  const std::size_t call = action.call;
  const testing::argument& argument = program_.bodies[action.body].arguments[index];
  source made = fresh_source(argument);
  if (const auto member = dice_.chance(25) ? member_like(program_, argument) : std::nullopt) {
    made = {source::origin::member, source::form::as_declared, 0, *member};
    return made;
  }
  if (call == 0 || made.from == source::origin::kept || dice_.chance(60)) {
    return made;
  }
  made.call = dice_.below(call);
  if (dice_.chance(40) && bodies_[made.call] == action.body) {
    made.from = source::origin::again;
    made.how = source::form::as_declared;
    made.index = index;
    return made;
  }
  const tensor_list& results = results_[bodies_[made.call]];
  made.index = dice_.below(results.size());
  const at::Tensor& result = results[made.index];
  if (!result.defined() || result.sizes() != shape_of(argument, action.rows) || result.scalar_type() != argument.dtype) {
    return made;
  }
  made.from = source::origin::result;
  made.how = argument.grad ? source::form::as_declared : source::form::detached;
  return made;
}

source caller::fresh_source(const testing::argument& argument) {
  source made;
  if ((argument.flags & impl::flags::static_address) != 0 && dice_.chance(90)) {
    made.from = source::origin::kept;
    made.how = dice_.chance(40) ? source::form::refilled : source::form::as_declared;
  } else if ((argument.flags & impl::flags::optional) != 0 && dice_.chance(35)) {
    made.how = source::form::absent;
  } else if (dice_.chance(4)) {
    made.how = static_cast<source::form>(dice_.below(7));
  } else if (argument.grad && dice_.chance(20)) {
    made.how = source::form::with_history;
  }
  return made;
}

}  // namespace

program generate(uint64_t seed, const conditions& on) {
  dice dice(seed);
  seed_draws(seed);
  program made{seed, dice.chance(85) ? at::kFloat : at::kDouble, {}, {}, {}};
  const std::size_t bodies = dice.chance(70) ? 1 : 2;
  while (made.bodies.size() < bodies) {
    made.bodies.push_back(generate_body(dice, made, on));
    if (broken_rule(made) != nullptr) {  // no action could repair it
      made.bodies.pop_back();
    }
  }
  if (dice.chance(bodies > 1 ? 50 : 10)) {
    for (auto& body : made.bodies) {
      body.settings.pool = "fuzz";
    }
  }
  for (auto& body : made.bodies) {
    body.settings.slots = on.in_flight ? static_cast<int>(1 + dice.below(6)) : body.settings.slots;
  }
  add_leaves(dice, made);
  caller(dice, made, on).act();
  return made;
}

}  // namespace graphed::fuzz
