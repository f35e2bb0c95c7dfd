// SPDX-License-Identifier: Apache-2.0
#include "staged_program.h"

#include <graphed/hooks.h>

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include <stdexcept>
#include <utility>

namespace graphed::testing {
namespace {

at::Tensor copy_by_the_operator(const at::Tensor& x) {
  if (in_the_operator) {
    const auto what = in_the_operator;
    what();
  }
  return x.clone();
}

TORCH_LIBRARY(staged_program, library) {
  library.def("copy(Tensor x) -> Tensor");
  for (const auto key : {c10::DispatchKey::CPU, c10::DispatchKey::CUDA}) {
    library.impl("copy", torch::dispatch(key, TORCH_FN(copy_by_the_operator)));
  }
}

tensor_list body(tensor_list& in) {
  const at::Tensor y = call_operator(in[0]) * in[1];
  y.register_hook([](const at::Tensor& gradient) { return call_operator(gradient); });
  return {y.tanh()};
}

/// While it lives, `what` is called once where the stage comes.
class armed {
 public:
  armed(stage now, const std::function<void()>& what) {
    if (now == stage::warm_up || now == stage::forward_capture || now == stage::backward_capture) {
      in_the_operator = [what] {
        in_the_operator = {};
        what();
      };
    } else if (now == stage::first_replay || now == stage::later_replay || now == stage::backward) {
      hook_ = add_hook(GraphEvent::ReplayBegin, [what, is_done = std::make_shared<bool>(false)](const EventInfo&) {
        if (!std::exchange(*is_done, true)) {
          what();
        }
      });
    } else {
      what();
    }
  }
  ~armed() { in_the_operator = {}; }
  armed(const armed&) = delete;
  armed& operator=(const armed&) = delete;

 private:
  HookHandle hook_;
};

}  // namespace

at::Tensor call_operator(const at::Tensor& x) {
  static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("staged_program::copy", "").typed<at::Tensor(const at::Tensor&)>();
  return op.call(x);
}

staged_program::staged_program(c10::Device device)
    : device_(device), x_(filled(0.5)), w_(filled(0.25).requires_grad_()), gradient_(filled(2)) {
  callable_.emplace(arguments(), body);
  const at::Tensor y = callable_->plain({x_, w_})[0];
  y.backward(gradient_);
  result_ = y.detach().clone();
  w_gradient_ = std::exchange(w_.mutable_grad(), at::Tensor());
}

void staged_program::run_up_to(stage end) {
  switch (end) {
    case stage::before_the_calls:
      return;
    case stage::warm_up:
      return run_calls(1);
    case stage::forward_capture:
    case stage::backward_capture:
      return run_calls(2);
    case stage::first_replay:
      return run_calls(device_.is_cpu() ? 3 : 2);
    default:
      return run_calls(5);
  }
}

void staged_program::run(stage now, const std::function<void()>& what, const std::function<void()>& undo) {
  if (now == stage::staging || now == stage::destruction) {
    const at::Tensor y = forward();
    go_back(y);
    held = y.detach();
  }
  if (now == stage::destruction) {
    what();
    return callable_.reset();
  }
  const bool is_in_the_backward = now == stage::backward_capture || now == stage::backward;
  std::optional<armed> within;
  if (!is_in_the_backward) {
    within.emplace(now, what);
  }
  const at::Tensor y = forward();
  within.reset();
  if (is_in_the_backward) {
    within.emplace(now, what);
  } else {
    undo();
  }
  go_back(y);
}

void staged_program::run_calls(int count) {
  for (int call = 0; call < count; ++call) {
    go_back(forward());
  }
}

at::Tensor staged_program::forward() {
  const at::Tensor y = (*callable_)({x_, w_})[0];
  if (!is_result(y.detach())) {
    throw std::logic_error("the result is not the original function's");
  }
  return y;
}

void staged_program::go_back(const at::Tensor& y) {
  w_.mutable_grad() = at::Tensor();
  y.backward(gradient_);
  if (!same_bits(w_.grad(), w_gradient_)) {
    throw std::logic_error("the gradient is not the original function's");
  }
  w_.mutable_grad() = at::Tensor();
}

}  // namespace graphed::testing
