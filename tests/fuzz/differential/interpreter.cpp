// SPDX-License-Identifier: Apache-2.0
#include "interpreter.h"

#include "compare.h"
#include "draws.h"
#include "identity.h"
#include "messages.h"
#include "sample.h"

#include "runtime/support/autocast.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <torch/autograd.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace graphed::fuzz {
namespace {

using kind = action::kind;

class mode_scope {
 public:
  mode_scope(call_mode mode, c10::DeviceType device)
      : grad_(mode != call_mode::no_grad && mode != call_mode::autocast_no_grad && mode != call_mode::inference) {
    if (mode == call_mode::inference) {
      inference_.emplace();
    }
    if (mode == call_mode::autocast || mode == call_mode::autocast_no_grad) {
      autocast_.emplace(device, at::kBFloat16);
    }
  }

 private:
  const c10::AutoGradMode grad_;
  std::optional<c10::InferenceMode> inference_;
  std::optional<testing::autocast> autocast_;
};

bool is_leaf_with_grad(const at::Tensor& tensor) { return tensor.defined() && tensor.requires_grad() && tensor.is_leaf(); }

}  // namespace

interpreter::interpreter(const program& program, testing::scenario& run)
    : program_(program), run_(run), prepared_(program.bodies.size()), before_(program.bodies.size()) {
  seed_draws(program.seed);
  outside_.device = run.device();
  for (const auto& member : program.members) {
    const std::string name = "member" + std::to_string(outside_.members.size());
    const at::Tensor tensor = make_member(member, program.dtype, run.device());
    outside_.members.push_back(member.is_parameter ? module_.register_parameter(name, tensor) : module_.register_buffer(name, tensor));
  }
  for (const auto& body : program.bodies) {
    callables_.emplace_back(
        run, body.arguments, [this, &body](tensor_list& arguments) { return run_body(body, arguments); }, body.settings,
        body.is_method ? &module_ : nullptr);
  }
}

void interpreter::run() {
  for (std::size_t i = 0; i < program_.actions.size(); ++i) {
    const std::string label = "action " + std::to_string(i);
    see_outcome(run_, label, [&] { perform(i); });
    see_outcome(run_, label + ", gradients", [&] { see_gradients(label); });
  }
  see_outcome(run_, "the end", [&] { see_all(); });
}

std::vector<Statistics> interpreter::stats() const {
  std::vector<Statistics> all;
  for (std::size_t i = 0; i < callables_.size(); ++i) {
    all.push_back(before_[i]);
    add(all.back(), callables_[i].stats());
    all.back().captures -= prepared_[i].captures;
    all.back().backward_captures -= prepared_[i].backward_captures;
  }
  return all;
}

void interpreter::perform(std::size_t position) {
  const action& action = program_.actions[position];
  switch (action.what) {
    case kind::call:
      return call(action);
    case kind::prepare:
      return prepare(action);
    case kind::backward:
    case kind::grad:
      return go_back(position);
    case kind::zero_grad:
      return module_.zero_grad(action.flag);
    case kind::take_grad:
      for (auto& parameter : module_.parameters()) {
        held_gradients_.push_back(parameter.grad());
        parameter.mutable_grad() = at::Tensor();
      }
      return;
    case kind::hold_grad:
      held_gradients_.push_back(outside_.members[action.index].grad());
      return;
    case kind::scale_grad:
      if (const at::Tensor gradient = outside_.members[action.index].grad(); gradient.defined()) {
        gradient.mul_(0.5);
      }
      return;
    case kind::give_grad:
      outside_.members[action.index].mutable_grad() = draw_normal_like(outside_.members[action.index].detach());
      return;
    case kind::drop:
      calls_.erase(action.call);
      return;
    case kind::drop_results:
      if (const auto found = calls_.find(action.call); found != calls_.end()) {
        found->second.results.clear();
      }
      return;
    case kind::detach_result:
      if (auto* result = result_of(action)) {
        *result = result->detach();
      }
      return;
    case kind::replace_result:
      if (auto* result = result_of(action)) {
        *result = *result * 1.5;
      }
      return;
    case kind::reset:
      return reset(action.body);
    case kind::change_result:
      if (const auto* result = result_of(action)) {
        change(*result, action.flag);
      }
      return;
    case kind::change_argument:
      if (const auto* argument = argument_at(action)) {
        change(*argument, /*no_grad=*/true);
      }
      return;
    case kind::hook_result:
      if (const auto* result = result_of(action); result != nullptr && result->requires_grad()) {
        // LibTorch calls the hooks of all of a node's outputs, with an undefined gradient for one that nothing came to.
        result->register_hook([](const at::Tensor& gradient) { return gradient.defined() ? gradient * 0.5 : gradient; });
      }
      return;
    case kind::descend:
      return step_down();
    case kind::set_data: {
      at::Tensor& member = outside_.members[action.index];
      member.set_data(make_member(program_.members[action.index], program_.dtype, run_.device()).detach());
      return;
    }
    case kind::freeze: {
      at::Tensor& member = outside_.members[action.index];
      member.requires_grad_(!member.requires_grad());
      return;
    }
    case kind::freeze_argument:
      if (const auto* argument = argument_at(action); argument != nullptr && argument->is_leaf() && argument->is_floating_point()) {
        argument->requires_grad_(!argument->requires_grad());
      }
      return;
    case kind::hook_member:
      if (const at::Tensor& member = outside_.members[action.index]; member.requires_grad()) {
        member.register_hook([](const at::Tensor& gradient) { return gradient.defined() ? gradient * 0.5 : gradient; });
      }
      return;
    case kind::train:
      outside_.training = action.flag;
      module_.train(action.flag);
      return;
    case kind::seed:
      seed_draws(action.index);
      return;
  }
}

// A capture gets the live scalar's tensor after the arguments.
tensor_list interpreter::run_body(const body& body, const tensor_list& arguments) const {
  closed_over outside = outside_;
  if (arguments.size() > body.arguments.size()) {
    outside.live = Scalar::over(arguments.back());
  }
  for (std::size_t i = 0; i < std::min(body.arguments.size(), arguments.size()); ++i) {
    if (arguments[i].defined() && arguments[i].dim() > 0 && !body.arguments[i].shape.empty() && body.arguments[i].shape[0] == testing::B) {
      outside.rows = arguments[i].size(0);
    }
  }
  return evaluate(body, outside, arguments);
}

tensor_list interpreter::begin_call(const action& action) {
  tensor_list arguments;
  for (std::size_t i = 0; i < action.arguments.size(); ++i) {
    arguments.push_back(argument_of(action, i));
  }
  outside_.key = action.key;
  outside_.rows = action.rows;
  const bool is_integer = action.live == std::floor(action.live);
  outside_.live = is_integer ? Scalar(static_cast<int64_t>(action.live)) : Scalar(action.live);
  return arguments;
}

impl::Scalars interpreter::scalars_of(const action& action) const {
  auto made = impl::Scalars().key("key", action.key).key("training", outside_.training);
  return program_.bodies[action.body].live ? std::move(made).live("s", outside_.live) : std::move(made);
}

void interpreter::call(const action& action) {
  called& made = calls_[action.call];
  made.is_aliased = program_.bodies[action.body].settings.outputs == OutputPolicy::Alias;
  made.arguments = begin_call(action);
  {
    const mode_scope mode(action.mode, run_.device().type());
    made.results = callables_[action.body](made.arguments, scalars_of(action));
  }
  const std::string name = "r" + std::to_string(action.call);
  run_.see(name, made.results);
  run_.see(name + " arguments", made.arguments);
}

// Leaves no trace, whether it succeeds or not.
void interpreter::prepare(const action& action) {
  const tensor_list arguments = begin_call(action);
  const mode_scope mode(action.mode, run_.device().type());
  const Statistics before = callables_[action.body].stats();
  try {
    callables_[action.body].prepare(arguments, scalars_of(action));
  } catch (const std::exception&) {
  }
  const Statistics after = callables_[action.body].stats();
  prepared_[action.body].captures += after.captures - before.captures;
  prepared_[action.body].backward_captures += after.backward_captures - before.backward_captures;
  run_.see("prepared with", arguments);
}

at::Tensor* interpreter::argument_at(const action& action) {
  const auto found = calls_.find(action.call);
  if (found == calls_.end() || action.index >= found->second.arguments.size() || !found->second.arguments[action.index].defined()) {
    return nullptr;
  }
  return &found->second.arguments[action.index];
}

void interpreter::reset(std::size_t body) {
  if (run_.graphed()) {
    add(before_[body], callables_[body].stats());
    callables_[body].reset();
  }
}

at::Tensor* interpreter::result_of(const action& action) {
  const auto found = calls_.find(action.call);
  if (found == calls_.end() || action.index >= found->second.results.size() || !found->second.results[action.index].defined()) {
    return nullptr;
  }
  return &found->second.results[action.index];
}

void interpreter::change(at::Tensor tensor, bool no_grad) {
  const c10::AutoGradMode mode(!no_grad);
  tensor.mul_(0.5);
}

void interpreter::step_down() {
  const c10::AutoGradMode no_grad(false);
  for (auto& parameter : module_.parameters()) {
    if (parameter.grad().defined()) {
      parameter.sub_(parameter.grad(), 0.125);
    }
  }
}

tensor_list interpreter::differentiable(const action& action) {
  tensor_list roots;
  const auto add_root = [&](const tensor_list& results, std::size_t root) {
    if (root < results.size() && results[root].defined() && results[root].requires_grad()) {
      roots.push_back(results[root]);
    }
  };
  if (const auto found = calls_.find(action.call); found != calls_.end()) {
    for (const std::size_t root : action.roots) {
      add_root(found->second.results, root);
    }
  }
  for (const std::size_t other : action.others) {
    const auto found = calls_.find(other);
    for (std::size_t root = 0; found != calls_.end() && root < found->second.results.size(); ++root) {
      add_root(found->second.results, root);
    }
  }
  return roots;
}

// A backward that fails has in eager added to some gradients already: they are thrown away on both sides.
void interpreter::go_back(std::size_t position) {
  const action& action = program_.actions[position];
  const auto reached = reached_calls(program_, position);
  tensor_list roots = differentiable(action);
  if (roots.empty() || std::any_of(reached.begin(), reached.end(), [&](std::size_t call) { return spent_.count(call) != 0; })) {
    return;
  }
  tensor_list gradients;
  for (auto& root : roots) {
    const bool given = action.how == action::loss::given;
    const at::Tensor weight = action.how == action::loss::plain_sum ? at::Tensor() : draw_normal_like(root.detach());
    root = given ? root : (weight.defined() ? root * weight : root).sum();
    gradients.push_back(given ? weight : at::ones_like(root.detach()));
  }
  if (action.used && outside_.members[*action.used].requires_grad()) {
    const at::Tensor& used = outside_.members[*action.used];
    roots.push_back((used * draw_normal_like(used.detach())).sum());
    gradients.push_back(at::ones_like(roots.back().detach()));
  }
  const tensor_list only = action.only ? tensor_list{outside_.members[*action.only]} : tensor_list();
  try {
    if (action.what == kind::backward) {
      torch::autograd::backward(roots, gradients, action.flag, /*create_graph=*/false, only);
    } else {
      run_.see("gradients", torch::autograd::grad(roots, leaves(action.call), gradients, action.flag, false, /*allow_unused=*/true));
    }
  } catch (...) {
    spent_.insert(reached.begin(), reached.end());
    forget_gradients();
    throw;
  }
}

tensor_list interpreter::leaves(std::size_t call) {
  tensor_list found;
  const auto take = [&](const tensor_list& tensors) {
    std::copy_if(tensors.begin(), tensors.end(), std::back_inserter(found), is_leaf_with_grad);
  };
  take(outside_.members);
  take(calls_[call].arguments);
  return found;
}

void interpreter::forget_gradients() {
  held_gradients_.clear();
  module_.zero_grad(/*set_to_none=*/true);
  for (auto& [where, tensor] : kept_) {
    if (is_leaf_with_grad(tensor)) {
      tensor.mutable_grad() = at::Tensor();
    }
  }
  for (auto& [number, call] : calls_) {
    for (auto& argument : call.arguments) {
      if (is_leaf_with_grad(argument)) {
        argument.mutable_grad() = at::Tensor();
      }
    }
  }
}

void interpreter::see_gradients(const std::string& label) {
  for (std::size_t i = 0; i < outside_.members.size(); ++i) {
    run_.see(label + ": gradient of member " + std::to_string(i), outside_.members[i].grad());
  }
  for (const auto& [number, call] : calls_) {
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      if (is_leaf_with_grad(call.arguments[i])) {
        run_.see(label + ": gradient of argument " + std::to_string(i) + " of r" + std::to_string(number), call.arguments[i].grad());
      }
    }
  }
}

void interpreter::see_all() {
  run_.see("members at the end", outside_.members);
  run_.see("held gradients at the end", held_gradients_);
  for (const auto& [number, call] : calls_) {
    run_.see("arguments of r" + std::to_string(number) + " at the end", call.arguments);
    if (!call.is_aliased) {
      run_.see("r" + std::to_string(number) + " at the end", call.results);
    }
  }
}

}  // namespace graphed::fuzz
