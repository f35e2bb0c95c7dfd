// SPDX-License-Identifier: Apache-2.0
//
// A random training program as data: networks, their optimizers, steps that train them, and what a trainer does between the steps.
#pragma once

#include "../conditions.h"

#include "runtime/support/test_callable.h"

#include <c10/core/ScalarType.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphed::fuzz::training {

inline constexpr int64_t inputs = 4;   ///< numbers in a row of a batch
inline constexpr int64_t outputs = 2;  ///< and in a row of its targets

/// `spare` has a parameter that no forward uses.
enum class layer { linear, tied, conv, batch_norm, layer_norm, dropout, tanh, relu, gelu, spare };

/// From rows of `inputs` to rows of `outputs`: after its layers comes one more linear one.
struct network {
  std::vector<layer> layers;
  bool is_hooked = false;  ///< a hook scales the gradient of its first parameter

  bool operator==(const network& other) const { return layers == other.layers && is_hooked == other.is_hooked; }
};

/// Options of an optimizer; flags are 0 or 1.
enum class number { lr, weight_decay, first, second, flag, maximize, live };
inline constexpr std::size_t numbers = 7;

struct optimizer {
  enum class kind { sgd, adam, adamw, adagrad, rmsprop };
  kind what;
  std::size_t network;
  std::array<double, numbers> options;
  bool has_two_groups = false;  ///< the first parameter apart, at half the learning rate
  bool leaves_out = false;      ///< the last parameter, until it is added as a group

  double option(number which) const { return options[static_cast<std::size_t>(which)]; }
  double& option(number which) { return options[static_cast<std::size_t>(which)]; }
};

struct statement {
  enum class kind {
    zero_grad,    ///< of `optimizer`; `flag`: to none
    backward,     ///< from `loss` of `network`, of `part` of the batch; `flag`: scaled
    gradients,    ///< the same by autograd::grad, for the network's parameters; `flag`: which descend by them
    unscale,      ///< of `optimizer`
    clip_norm,    ///< of the parameters of `network`, to `number`
    clip_value,   ///< the same
    step,         ///< of `optimizer`
    scaler_step,  ///< the same
    scaler_update,
    average,  ///< `other` moves to `network` by `number`
    copy,     ///< `other` becomes `network`
  };
  enum class loss {
    squares,  ///< of the distance to the targets
    huber,
    target,   ///< of the distance to `other`, which gets no gradients
    actor,    ///< of the product with `other`, which gets some
    penalty,  ///< squares, and of the slope by the batch
  };
  enum class part { all, first_half, second_half };

  kind what;
  std::size_t optimizer = 0;
  std::size_t network = 0;
  std::size_t other = 0;
  loss how = loss::squares;
  part of = part::all;
  bool flag = false;
  double number = 1;
};

/// A callable that is marked `step`.
struct routine {
  std::vector<statement> statements;
  testing::settings settings;
  bool is_method = false;  ///< of the module of all networks, which the graphed callable then watches
  bool live = false;       ///< takes a `live` scalar, the factor of its losses
};

/// One thing that the trainer does.
struct action {
  enum class kind {
    call,              ///< of `routine` on `rows` new rows, by `how`; `flag`: with targets whose squares are infinite
    set_rate,          ///< of group `index` of `optimizer`, to `value`
    schedule,          ///< a step of the scheduler of `optimizer`
    set_option,        ///< `which` of all groups of `optimizer`, to `value`
    zero_grad,         ///< of `optimizer`, `flag`: to none
    hold_gradients,    ///< of `network`
    drop_gradients,    ///< that are held
    scale_gradient,    ///< of parameter `index` of `network`, in place
    replace_gradient,  ///< the same, by another tensor; `flag`: by none
    set_data,          ///< the same, of the parameter
    scale_parameter,   ///< the same, in place
    accumulate,        ///< an eager backward of `network`
    freeze,            ///< or thaw parameter `index` of `network`
    train,             ///< `network`; `flag`: or eval
    save,              ///< the state of `optimizer`, the parameters of its network, the scaler
    load,              ///< what was saved last
    add_group,         ///< of the parameter that `optimizer` left out
    set_scale,         ///< of the scaler, to `value`
    seed,              ///< of the random generators, to `index`
  };
  enum class manner { graphed, plain, disabled, ahead };

  kind what;
  std::size_t routine = 0;
  manner how = manner::graphed;
  int64_t rows = 0;
  std::size_t optimizer = 0;
  std::size_t network = 0;
  std::size_t index = 0;
  number which = number::lr;
  double value = 0.5;
  bool flag = false;
};

struct program {
  uint64_t seed;
  c10::ScalarType dtype;
  std::vector<network> networks;
  std::vector<optimizer> optimizers;
  std::vector<routine> routines;
  std::vector<action> actions;
};

/// "lr", "momentum": null where the optimizer has no such option.
const char* name_of(optimizer::kind kind, number which);

/// The first rule that the program breaks, or null. Every program that is run breaks none.
const char* broken_rule(const program& program);

/// The same program for the same seed and conditions. It breaks no rule.
program generate(uint64_t seed, const conditions& on);

/// As text that reads like C++.
std::string print(const program& program);

}  // namespace graphed::fuzz::training
