// SPDX-License-Identifier: Apache-2.0
#include "../dice.h"
#include "generate_routine.h"
#include "program.h"

#include <ATen/Context.h>

#include <algorithm>

namespace graphed::fuzz::training {
namespace {

using kind = action::kind;
using manner = action::manner;

network make_network(dice& dice) {
  static const std::vector<layer> all{layer::linear,  layer::linear, layer::tied, layer::conv, layer::batch_norm, layer::layer_norm,
                                      layer::dropout, layer::tanh,   layer::relu, layer::gelu, layer::spare};
  network made;
  for (std::size_t i = dice.below(5); i > 0; --i) {
    made.layers.push_back(dice.pick(all));
  }
  made.is_hooked = dice.chance(10);
  return made;
}

// A value for an option, of those that are of interest.
double value_of(dice& dice, optimizer::kind kind, number which) {
  static const std::vector<double> rates{0.5, 0.1, 0.05, 0.01}, decays{0, 0.01, 0.1}, fractions{0, 0.5, 0.9}, alphas{0.9, 0.95, 0.99},
      dampenings{0, 0, 0.1, 0.5}, lr_decays{0, 0.01, 0.1};
  const bool is_adam = kind == optimizer::kind::adam || kind == optimizer::kind::adamw;
  switch (which) {
    case number::lr:
      return dice.pick(rates) * (is_adam ? 0.1 : 1);
    case number::weight_decay:
      return dice.pick(decays);
    case number::first:
      return dice.pick(kind == optimizer::kind::adagrad ? lr_decays : fractions);
    case number::second:
      return dice.pick(kind == optimizer::kind::sgd ? dampenings : alphas);
    default:
      return dice.chance(50) ? 1 : 0;
  }
}

optimizer make_optimizer(dice& dice, const program& program) {
  optimizer made{static_cast<optimizer::kind>(dice.below(5)), dice.below(program.networks.size()), {}};
  for (std::size_t i = 0; i < numbers; ++i) {
    const auto which = static_cast<number>(i);
    made.options[i] = which < number::flag || dice.chance(30) ? value_of(dice, made.what, which) : 0;
  }
  const bool has_momentum = made.option(number::first) != 0 && made.option(number::second) == 0;
  if (made.what == optimizer::kind::sgd && !has_momentum) {
    made.option(number::flag) = 0;
  }
  made.has_two_groups = dice.chance(40);
  made.leaves_out = dice.chance(20);
  return made;
}

class training_loop {
 public:
  training_loop(dice& dice, program& program) : dice_(dice), program_(program) {}

  void act() {
    for (std::size_t count = 15 + dice_.below(26); count > 0; --count) {
      program_.actions.push_back(dice_.chance(65) ? random_call() : random_change());
      if (broken_rule(program_) != nullptr) {
        program_.actions.pop_back();
      }
    }
  }

 private:
  action random_call();
  action random_change();

  dice& dice_;
  program& program_;
};

action training_loop::random_call() {
  static const std::vector<double> live_values{1, 0.5, 2, -0.25};
  action made{kind::call};
  made.routine = dice_.below(program_.routines.size());
  const routine& routine = program_.routines[made.routine];
  made.how = dice_.chance(86) ? manner::graphed : dice_.chance(40) ? manner::ahead : dice_.chance(50) ? manner::plain : manner::disabled;
  made.rows = dice_.chance(93) ? dice_.pick(routine.settings.sizes) : 5;
  made.flag = is_scaled(routine) && dice_.chance(15);
  made.value = dice_.pick(live_values);
  return made;
}

action training_loop::random_change() {
  action made{};
  made.optimizer = dice_.below(program_.optimizers.size());
  made.network = dice_.below(program_.networks.size());
  made.index = dice_.below(8);
  made.flag = dice_.chance(50);
  made.what = static_cast<kind>(1 + dice_.below(static_cast<std::size_t>(kind::seed)));
  const bool is_rarer = made.what == kind::set_data || made.what == kind::freeze || made.what == kind::set_option;
  if (is_rarer && dice_.chance(50)) {
    made.what = dice_.chance(50) ? kind::schedule : kind::set_rate;
  }
  const auto what = program_.optimizers[made.optimizer].what;
  if (made.what == kind::set_rate) {
    made.value = value_of(dice_, what, number::lr);
  } else if (made.what == kind::set_option) {
    made.which = static_cast<number>(1 + dice_.below(numbers - 1));
    made.value = value_of(dice_, what, made.which);
  } else if (made.what == kind::set_scale) {
    made.value = dice_.chance(50) ? 256 : 4;
  }
  return made;
}

}  // namespace

program generate(uint64_t seed, const conditions& on) {
  dice dice(seed);
  program made{seed, dice.chance(80) ? at::kFloat : at::kDouble, {}, {}, {}, {}};
  for (std::size_t i = 1 + dice.below(3); i > 0; --i) {
    const bool is_twin = !made.networks.empty() && dice.chance(60);
    made.networks.push_back(is_twin ? made.networks.front() : make_network(dice));
    auto& layers = made.networks.back().layers;
    if (on.has_threads) {
      layers.erase(std::remove(layers.begin(), layers.end(), layer::dropout), layers.end());
    }
  }
  for (std::size_t i = dice.chance(60) ? 1 : 2; i > 0; --i) {
    made.optimizers.push_back(make_optimizer(dice, made));
  }
  for (std::size_t i = dice.chance(65) ? 1 : 2; i > 0; --i) {
    made.routines.push_back(generate_routine(dice, made));
  }
  if (dice.chance(30)) {
    for (auto& routine : made.routines) {
      routine.settings.pool = "fuzz";
    }
  }
  training_loop(dice, made).act();
  return made;
}

}  // namespace graphed::fuzz::training
