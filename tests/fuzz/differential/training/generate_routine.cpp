// SPDX-License-Identifier: Apache-2.0
#include "generate_routine.h"

#include <algorithm>

namespace graphed::fuzz::training {
namespace {

using kind = statement::kind;
using loss = statement::loss;
using part = statement::part;

class builder {
 public:
  builder(dice& dice, const program& program) : dice_(dice), program_(program), is_scaled_(dice.chance(30)) {}

  routine build() {
    choose_settings();
    const std::size_t first = dice_.below(program_.optimizers.size());
    train(first);
    if (program_.optimizers.size() > 1 && dice_.chance(50)) {
      train(1 - first);
    }
    if (is_scaled_) {
      add(kind::scaler_update);
    }
    if (dice_.chance(40)) {
      follow();
    }
    return std::move(made_);
  }

 private:
  statement& add(kind what) {
    made_.statements.push_back({what});
    made_.statements.back().optimizer = optimizer_;
    made_.statements.back().network = program_.optimizers[optimizer_].network;
    return made_.statements.back();
  }
  void choose_settings();
  void train(std::size_t optimizer);
  void add_loss(part of);
  void clip();
  void follow();

  dice& dice_;
  const program& program_;
  const bool is_scaled_;
  std::size_t optimizer_ = 0;
  routine made_;
};

void builder::choose_settings() {
  auto& settings = made_.settings;
  settings.warmup = static_cast<int>(dice_.below(3));
  settings.outputs = dice_.chance(80) ? OutputPolicy::Keep : dice_.chance(50) ? OutputPolicy::Clone : OutputPolicy::Alias;
  settings.sizes = {8};
  if (dice_.chance(20)) {
    settings.sizes.push_back(6);
  }
  made_.is_method = dice_.chance(50);
  made_.live = dice_.chance(25);
}

void builder::train(std::size_t optimizer) {
  optimizer_ = optimizer;
  if (dice_.chance(85)) {
    add(kind::zero_grad).flag = dice_.chance(65);
  }
  if (dice_.chance(25)) {
    add_loss(part::first_half);
    add_loss(part::second_half);
  } else {
    add_loss(part::all);
  }
  if (dice_.chance(12)) {
    add_loss(part::all);
  }
  if (dice_.chance(12)) {
    statement& gradients = add(kind::gradients);
    gradients.flag = !is_scaled_ && dice_.chance(50);
    gradients.how = dice_.chance(50) ? loss::squares : loss::huber;
  }
  if (dice_.chance(35)) {
    clip();
  }
  add(is_scaled_ ? kind::scaler_step : kind::step);
}

void builder::add_loss(part of) {
  static const std::vector<loss> losses{loss::squares, loss::squares, loss::huber, loss::target, loss::actor, loss::penalty};
  statement& backward = add(kind::backward);
  backward.how = dice_.pick(losses);
  backward.of = of;
  backward.other = dice_.below(program_.networks.size());
  backward.flag = is_scaled_;
}

void builder::clip() {
  if (is_scaled_) {
    add(kind::unscale);
  }
  add(dice_.chance(50) ? kind::clip_norm : kind::clip_value).number = dice_.chance(50) ? 0.25 : 1;
}

// Another network of the same layers, as a target or an average.
void builder::follow() {
  const std::size_t from = program_.optimizers[optimizer_].network;
  for (std::size_t i = 0; i < program_.networks.size(); ++i) {
    if (i == from || !(program_.networks[i] == program_.networks[from])) {
      continue;
    }
    statement& average = add(dice_.chance(80) ? kind::average : kind::copy);
    average.other = i;
    average.number = 0.125;
    return;
  }
}

}  // namespace

routine generate_routine(dice& dice, const program& program) { return builder(dice, program).build(); }

bool is_scaled(const routine& routine) {
  const auto is = [&](kind what) {
    return std::any_of(routine.statements.begin(), routine.statements.end(), [&](const statement& each) { return each.what == what; });
  };
  return is(kind::scaler_step) && !is(kind::step);
}

}  // namespace graphed::fuzz::training
