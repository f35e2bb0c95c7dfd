// SPDX-License-Identifier: Apache-2.0
#include <graphed/optim/rmsprop.h>

#include "optim/algorithm.h"

#include <ATen/Functions.h>

namespace graphed::optim {
namespace {

struct rmsprop_number {
  enum { lr, alpha, one_minus_alpha, eps, weight_decay, momentum };
};

tensors directions(const batch& batch, const RMSpropOptions& options) {
  return options.maximize() ? at::_foreach_neg(batch.gradients) : batch.gradients;
}

// The roots of what `average` has made of the squares and, where they are centered, of the means.
template <class Average>
tensors roots(const batch& batch, const RMSpropOptions& options, const tensors& gradients, Average&& average) {
  const tensors squares = batch.column(&RMSpropParamState::square_avg);
  if (!options.centered()) {
    return at::_foreach_sqrt(squares);
  }
  const tensors means = batch.column(&RMSpropParamState::grad_avg);
  average(means, gradients);
  tensors divisors = at::_foreach_addcmul(squares, means, means, -1);
  at::_foreach_sqrt_(divisors);
  return divisors;
}

// As torch.optim's capturable variant does, so that the bits are the same: by the size of the step where there is momentum, by the
// divisor's where there is none.
void descend(const batch& batch, const RMSpropOptions& options, const tensors& gradients, const tensors& divisors) {
  const at::Tensor minus_lr = batch.numbers[rmsprop_number::lr].neg();
  if (options.momentum() == 0) {
    at::_foreach_div_(divisors, minus_lr);
    at::_foreach_addcdiv_(batch.parameters, gradients, divisors);
    return;
  }
  const tensors buffers = batch.column(&RMSpropParamState::momentum_buffer);
  if (options.live()) {
    at::_foreach_mul_(buffers, batch.numbers[rmsprop_number::momentum]);
  } else {
    at::_foreach_mul_(buffers, options.momentum());
  }
  at::_foreach_addcdiv_(buffers, gradients, divisors);
  at::_foreach_add_(batch.parameters, at::_foreach_mul(buffers, minus_lr));
}

class rmsprop_algorithm final : public typed_algorithm<RMSpropOptions, torch::optim::RMSpropOptions, RMSpropParamState> {
  const char* name() const override { return "RMSprop"; }
  std::vector<const char*> archived() const override { return {"step", "square_avg", "momentum_buffer", "grad_avg"}; }
  bool is_fused(const torch::optim::OptimizerOptions& /*options*/) const override { return false; }

  void complete(RMSpropParamState& state, const at::Tensor& parameter, const RMSpropOptions& options) const override {
    complete_number(state.step(), parameter, 0);
    complete_zeros(state.square_avg(), parameter);
    if (options.momentum() != 0) {
      complete_zeros(state.momentum_buffer(), parameter);
    }
    if (options.centered()) {
      complete_zeros(state.grad_avg(), parameter);
    }
  }

  void append_frozen(const RMSpropOptions& options, std::string& bytes) const override {
    impl::append(bytes, options.centered(), options.momentum() != 0, options.weight_decay() != 0);
    if (!options.live()) {
      impl::append(bytes, options.alpha(), options.eps(), options.weight_decay(), options.momentum());
    }
  }

  std::vector<double> live_numbers(const RMSpropOptions& options) const override {
    if (!options.live()) {
      return {options.lr()};
    }
    return {options.lr(), options.alpha(), 1 - options.alpha(), options.eps(), options.weight_decay(), options.momentum()};
  }

  void update(const batch& batch, const RMSpropOptions& options) const override {
    const tensors squares = batch.column(&RMSpropParamState::square_avg);
    tensors gradients = directions(batch, options);
    at::_foreach_add_(batch.column(&RMSpropParamState::step), 1);
    if (options.weight_decay() != 0) {
      gradients = at::_foreach_add(gradients, batch.parameters, options.weight_decay());
    }
    at::_foreach_mul_(squares, options.alpha());
    at::_foreach_addcmul_(squares, gradients, gradients, 1 - options.alpha());
    const tensors divisors = roots(batch, options, gradients, [&](const tensors& means, const tensors& values) {
      at::_foreach_lerp_(means, values, 1 - options.alpha());
    });
    at::_foreach_add_(divisors, options.eps());
    descend(batch, options, gradients, divisors);
  }

  void update_live(const batch& batch, const RMSpropOptions& options) const override {
    const auto& numbers = batch.numbers;
    const tensors squares = batch.column(&RMSpropParamState::square_avg);
    tensors gradients = directions(batch, options);
    at::_foreach_add_(batch.column(&RMSpropParamState::step), 1);
    if (options.weight_decay() != 0) {
      gradients = at::_foreach_add(gradients, at::_foreach_mul(batch.parameters, numbers[rmsprop_number::weight_decay]));
    }
    const auto average = [&](const tensors& averages, const tensors& values) {
      at::_foreach_mul_(averages, numbers[rmsprop_number::alpha]);
      at::_foreach_add_(averages, at::_foreach_mul(values, numbers[rmsprop_number::one_minus_alpha]));
    };
    average(squares, at::_foreach_mul(gradients, gradients));
    const tensors divisors = roots(batch, options, gradients, average);
    at::_foreach_add_(divisors, numbers[rmsprop_number::eps]);
    descend(batch, options, gradients, divisors);
  }
};

std::unique_ptr<RMSpropOptions> checked(RMSpropOptions options) {
  TORCH_CHECK(options.lr() >= 0, "graphed::optim::RMSprop: Invalid learning rate: ", options.lr());
  TORCH_CHECK(options.eps() >= 0, "graphed::optim::RMSprop: Invalid epsilon value: ", options.eps());
  TORCH_CHECK(options.momentum() >= 0, "graphed::optim::RMSprop: Invalid momentum value: ", options.momentum());
  TORCH_CHECK(options.weight_decay() >= 0, "graphed::optim::RMSprop: Invalid weight_decay value: ", options.weight_decay());
  TORCH_CHECK(options.alpha() >= 0, "graphed::optim::RMSprop: Invalid alpha value: ", options.alpha());
  return std::make_unique<RMSpropOptions>(std::move(options));
}

}  // namespace

RMSprop::RMSprop(const std::vector<torch::optim::OptimizerParamGroup>& groups, RMSpropOptions defaults)
    : Optimizer(groups, checked(std::move(defaults)), std::make_unique<rmsprop_algorithm>()) {}

}  // namespace graphed::optim
