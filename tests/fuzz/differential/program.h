// SPDX-License-Identifier: Apache-2.0
//
// A random program as data: callables over small tensors, and what a caller does with them. It can be printed, run and shrunk.
#pragma once

#include "operations.h"

#include "runtime/support/test_callable.h"

#include <c10/core/ScalarType.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphed::fuzz {

/// A tensor that the callables close over. The module of the program registers all of them.
struct member {
  shape sizes;
  bool is_parameter;
};

/// A value in a callable's body.
struct value {
  enum class origin { argument, member, step };
  origin from;
  std::size_t index;

  bool operator==(const value& other) const { return from == other.from && index == other.index; }
};

struct step {
  const operation* op;
  std::vector<value> operands;
  std::vector<int64_t> numbers;
  std::optional<int64_t> only_for_key;  ///< for other values of the key, the step is its first operand
};

struct body {
  std::vector<testing::argument> arguments;
  std::vector<step> steps;
  std::vector<std::optional<value>> results;  ///< an absent one is an undefined tensor
  testing::settings settings;
  bool is_method;     ///< of the module, which the graphed callable then watches
  bool live = false;  ///< takes a `live` scalar
};

/// Where a call takes an argument from.
struct source {
  enum class origin {
    fresh,   ///< a new random tensor
    again,   ///< the argument `index` of the call `call`
    result,  ///< the result `index` of the call `call`
    kept,    ///< the tensor that each such call of the callable gives here
    member,  ///< member `index`
  };
  enum class form {
    as_declared,
    with_history,  ///< no leaf
    other_grad,    ///< requires_grad is not what was declared
    transposed,    ///< not contiguous
    offset,        ///< at an address that is aligned to its elements only
    expanded,      ///< stride 0
    longer,        ///< twice as many rows
    detached,
    absent,
    refilled,  ///< with new values, if it is kept
  };
  origin from = origin::fresh;
  form how = form::as_declared;
  std::size_t call = 0;
  std::size_t index = 0;
};

enum class call_mode { training, no_grad, inference, autocast, autocast_no_grad };

/// One thing that the caller does.
struct action {
  enum class kind {
    call,             ///< of `body` with `arguments`, under `mode`, with `key`, `live` and `rows`; known as call `call` from then on
    prepare,          ///< of the same
    backward,         ///< from the results `roots` of `call`, and all of `others`, into .grad; `flag`: retain_graph
    grad,             ///< the same by autograd::grad, for the call's arguments and all parameters
    zero_grad,        ///< `flag`: set to none
    take_grad,        ///< holds all .grad of parameters, and takes them away
    hold_grad,        ///< holds the .grad of member `index`
    scale_grad,       ///< in place, of member `index`
    give_grad,        ///< a random one to member `index`
    drop,             ///< the results and arguments of `call`
    drop_results,     ///< of `call`
    detach_result,    ///< keeps of result `index` of `call` its values alone
    replace_result,   ///< by one with the same values and a longer history
    reset,            ///< of `body`'s captures
    change_result,    ///< in place, result `index` of `call`; `flag`: under no_grad
    change_argument,  ///< in place under no_grad, argument `index` of `call`
    hook_result,      ///< a hook on result `index` of `call` that scales its gradient
    descend,          ///< a step of gradient descent
    set_data,         ///< of member `index`
    freeze,           ///< or thaw member `index`
    freeze_argument,  ///< or thaw argument `index` of `call`, a leaf
    hook_member,      ///< a hook on member `index` that scales its gradient
    train,            ///< `flag`: or eval
    seed,             ///< of the random generators, to `index`
  };
  /// How the gradients of the roots come.
  enum class loss { weighted_sum, plain_sum, given };

  kind what;
  std::size_t call = 0;
  std::size_t index = 0;
  bool flag = false;
  std::size_t body = 0;
  std::vector<source> arguments{};
  call_mode mode = call_mode::training;
  int64_t key = 0;
  double live = 0.5;  ///< an integer where it is one
  int64_t rows = 0;   ///< the dimension variable B
  std::vector<std::size_t> roots{};
  std::vector<std::size_t> others{};  ///< calls whose results are roots as well
  std::optional<std::size_t> used{};  ///< a parameter that the loss uses as well
  std::optional<std::size_t> only{};  ///< a parameter: .grad of no other leaf
  loss how = loss::weighted_sum;
};

struct program {
  uint64_t seed;
  c10::ScalarType dtype;
  std::vector<member> members;
  std::vector<body> bodies;
  std::vector<action> actions;
};

/// Whether it calls or prepares a callable.
inline bool names_body(const action& action) { return action.what == action::kind::call || action.what == action::kind::prepare; }

/// As text that reads like C++.
std::string print(const program& program);

}  // namespace graphed::fuzz
