// SPDX-License-Identifier: Apache-2.0
#include "interpreter.h"

#include "../draws.h"
#include "../messages.h"
#include "optimizers.h"

#include <graphed/disable.h>

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/serialize/archive.h>

#include <sstream>

namespace graphed::fuzz::training {
namespace {

using kind = action::kind;
using manner = action::manner;

template <class Saved>
std::string saved(const Saved& object) {
  torch::serialize::OutputArchive archive;
  object.save(archive);
  std::ostringstream stream;
  archive.save_to(stream);
  return stream.str();
}

template <class Saved>
void load_from(const std::string& bytes, Saved& object) {
  std::istringstream stream(bytes);
  torch::serialize::InputArchive archive;
  archive.load_from(stream);
  object.load(archive);
}

const program& seeded(const program& program) {
  seed_draws(program.seed);
  return program;
}

std::vector<testing::argument> arguments_of(const program& program, const routine& routine) {
  const int64_t rows = routine.settings.sizes.size() > 1 ? testing::B : routine.settings.sizes.front();
  return {{"x", {rows, inputs}, program.dtype}, {"y", {rows, outputs}, program.dtype}};
}

// The sizes of a variable, or none.
testing::settings settings_of(const routine& routine) {
  testing::settings settings = routine.settings;
  settings.step = true;
  if (settings.sizes.size() == 1) {
    settings.sizes = {0};
  }
  return settings;
}

}  // namespace

interpreter::interpreter(const program& program, testing::scenario& run)
    : program_(program), run_(run), trainer_(seeded(program), run.device()) {
  training_.assign(program.networks.size(), true);
  for (const auto& routine : program.routines) {
    steps_.emplace_back(
        run, arguments_of(program, routine), [this, &routine](tensor_list& arguments) { return run_routine(routine, arguments); },
        settings_of(routine), routine.is_method ? &trainer_.module() : nullptr);
  }
}

void interpreter::run() {
  for (std::size_t i = 0; i < program_.actions.size(); ++i) {
    const std::string label = "action " + std::to_string(i);
    see_outcome(run_, label, [&] { perform(program_.actions[i]); });
    see_training(label);
  }
  run_.see("held results at the end", held_results_);
}

std::vector<Statistics> interpreter::stats() const {
  std::vector<Statistics> all;
  for (const auto& step : steps_) {
    all.push_back(step.stats());
  }
  return all;
}

void interpreter::perform(const action& action) {
  switch (action.what) {
    case kind::call:
      return call(action);
    case kind::set_rate:
      return set_rate(action);
    case kind::schedule:
      return trainer_.scheduler(action.optimizer).step();
    case kind::set_option:
      for (auto& group : trainer_.optimizer(action.optimizer).param_groups()) {
        set_option(group.options(), action.which, action.value);
      }
      return;
    case kind::zero_grad:
      return trainer_.optimizer(action.optimizer).zero_grad(action.flag);
    case kind::hold_gradients:
      for (const auto& parameter : trainer_.parameters(action.network)) {
        held_gradients_.push_back(parameter.grad());
      }
      return;
    case kind::drop_gradients:
      return held_gradients_.clear();
    case kind::scale_gradient:
    case kind::replace_gradient:
      return change_gradient(action);
    case kind::set_data:
    case kind::scale_parameter:
    case kind::freeze:
      return change_parameter(action);
    case kind::accumulate:
      return accumulate(action.network);
    case kind::train:
      training_[action.network] = action.flag;
      return trainer_.network(action.network).train(action.flag);
    case kind::save:
      return save(action.optimizer);
    case kind::load:
      return load(action.optimizer);
    case kind::add_group:
      return add_group(action.optimizer);
    case kind::set_scale:
      return trainer_.scaler().update(action.value);
    case kind::seed:
      seed_draws(action.index);
      return;
  }
}

// A capture gets the live scalar's tensor after the arguments.
tensor_list interpreter::run_routine(const routine& routine, const tensor_list& arguments) {
  std::optional<Scalar> live;
  if (routine.live) {
    live = arguments.size() > 2 ? Scalar::over(arguments[2]) : live_;
  }
  return trainer_.run(routine, {arguments[0], arguments[1]}, live);
}

impl::Scalars interpreter::scalars_of(const routine& routine) const {
  impl::Scalars made;
  for (std::size_t i = 0; !routine.is_method && i < training_.size(); ++i) {
    std::move(made).key("training", static_cast<bool>(training_[i]));
  }
  return routine.live ? std::move(made).live("s", live_) : std::move(made);
}

void interpreter::call(const action& action) {
  const routine& routine = program_.routines[action.routine];
  const tensor_list arguments{random({action.rows, inputs}), random({action.rows, outputs})};
  if (action.flag) {
    arguments[1].fill_(program_.dtype == at::kFloat ? 1e30 : 1e300);
  }
  live_ = action.value;
  if (action.how == manner::ahead) {
    try {
      steps_[action.routine].prepare(arguments, scalars_of(routine));
    } catch (const std::exception&) {
    }
    return;
  }
  std::optional<graphed::DisableGuard> disabled;
  if (action.how == manner::disabled) {
    disabled.emplace();
  }
  const tensor_list results =
      action.how == manner::plain ? run_routine(routine, arguments) : steps_[action.routine](arguments, scalars_of(routine));
  run_.see("results", results);
  if (routine.settings.outputs != OutputPolicy::Alias) {
    held_results_.insert(held_results_.end(), results.begin(), results.end());
  }
}

at::Tensor interpreter::parameter_of(const action& action) const {
  const auto parameters = trainer_.parameters(action.network);
  return parameters[action.index % parameters.size()];
}

void interpreter::change_gradient(const action& action) {
  const at::Tensor parameter = parameter_of(action);
  if (action.what == kind::replace_gradient) {
    const at::Tensor other = random(parameter.sizes());
    parameter.mutable_grad() = action.flag ? at::Tensor() : other;
  } else if (parameter.grad().defined()) {
    parameter.grad().mul_(0.5);
  }
}

void interpreter::change_parameter(const action& action) {
  at::Tensor parameter = parameter_of(action);
  if (action.what == kind::freeze) {
    parameter.requires_grad_(!parameter.requires_grad());
  } else if (action.what == kind::set_data) {
    parameter.set_data(random(parameter.sizes()));
  } else {
    const c10::AutoGradMode no_grad(false);
    parameter.mul_(0.75);
  }
}

void interpreter::accumulate(std::size_t network) {
  const at::Tensor found = trainer_.network(network).forward(random({3, inputs}));
  if (found.requires_grad()) {
    found.square().mean().backward();
  }
}

void interpreter::set_rate(const action& action) {
  auto& groups = trainer_.optimizer(action.optimizer).param_groups();
  groups[action.index % groups.size()].options().set_lr(action.value);
}

void interpreter::save(std::size_t optimizer) {
  archive& made = archives_[optimizer];
  made.optimizer = saved(trainer_.optimizer(optimizer));
  made.scaler = saved(trainer_.scaler());
  made.parameters.clear();
  for (const auto& parameter : trainer_.parameters(program_.optimizers[optimizer].network)) {
    made.parameters.push_back(parameter.detach().clone());
  }
}

void interpreter::load(std::size_t optimizer) {
  const auto found = archives_.find(optimizer);
  if (found == archives_.end()) {
    return;
  }
  const c10::AutoGradMode no_grad(false);
  const auto parameters = trainer_.parameters(program_.optimizers[optimizer].network);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].copy_(found->second.parameters[i]);
  }
  load_from(found->second.scaler, trainer_.scaler());
  load_from(found->second.optimizer, trainer_.optimizer(optimizer));
}

void interpreter::add_group(std::size_t optimizer) {
  const auto& description = program_.optimizers[optimizer];
  if (description.leaves_out && !std::exchange(added_[optimizer], true)) {
    training::add_group(trainer_.optimizer(optimizer), trainer_.parameters(description.network).back());
  }
}

void interpreter::see_training(const std::string& label) {
  const auto parameters = trainer_.module().parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    run_.see(label + ": gradient of parameter " + std::to_string(i), parameters[i].grad());
  }
  run_.see(label + ": state", trainer_.state());
  run_.see(label + ": held gradients", held_gradients_);
}

}  // namespace graphed::fuzz::training
