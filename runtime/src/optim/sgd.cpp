// SPDX-License-Identifier: Apache-2.0
#include <graphed/optim/sgd.h>

#include "optim/algorithm.h"

#include <ATen/Functions.h>

namespace graphed::optim {
namespace {

struct sgd_number {
  enum { lr, momentum, one_minus_dampening, dampening, weight_decay, minus_lr };
};

void fused(const tensors& parameters, const tensors& gradients, const tensors& buffers, const batch& batch, const SGDOptions& options,
           bool is_first, const std::optional<at::Tensor>& skip) {
  at::_fused_sgd_(parameters, gradients, buffers, options.weight_decay(), options.momentum(), batch.numbers[sgd_number::lr],
                  options.dampening(), options.nesterov(), options.maximize(), is_first, batch.grad_scale, skip);
}

// A buffer of zeros makes the first step without dampening right. With it, whether a step is the first is a flag on the device, which
// skips one of two operators.
void update_dampened(const batch& batch, const SGDOptions& options) {
  for (std::size_t i = 0; i < batch.parameters.size(); ++i) {
    const auto& state = static_cast<const SGDParamState&>(*batch.states[i]);
    const auto skip = [&](const at::Tensor& unless) { return batch.found_inf ? at::maximum(unless, *batch.found_inf) : unless; };
    const at::Tensor is_first = state.fresh().clone();
    state.fresh().mul_(batch.found_inf ? *batch.found_inf : at::zeros_like(is_first));
    fused({batch.parameters[i]}, {batch.gradients[i]}, {state.momentum_buffer()}, batch, options, false, skip(is_first));
    fused({batch.parameters[i]}, {batch.gradients[i]}, {state.momentum_buffer()}, batch, options, true, skip(1 - is_first));
  }
}

class sgd_algorithm final : public typed_algorithm<SGDOptions, torch::optim::SGDOptions, SGDParamState> {
  const char* name() const override { return "SGD"; }
  std::vector<const char*> archived() const override { return {"momentum_buffer"}; }
  bool is_fresh(ParamState& state) const override {
    const auto& own = static_cast<const SGDParamState&>(state);
    return !own.momentum_buffer().defined() || (own.fresh().defined() && own.fresh().item<float>() == 1);
  }

  void complete(SGDParamState& state, const at::Tensor& parameter, const SGDOptions& options) const override {
    if (options.momentum() != 0 && options.dampening() != 0) {
      complete_number(state.fresh(), parameter, state.momentum_buffer().defined() ? 0 : 1);
    }
    if (options.momentum() != 0) {
      complete_zeros(state.momentum_buffer(), parameter);
    }
  }

  void append_frozen(const SGDOptions& options, std::string& bytes) const override {
    impl::append(bytes, options.nesterov(), options.momentum() != 0, options.dampening() != 0, options.weight_decay() != 0);
    if (!options.live()) {
      impl::append(bytes, options.momentum(), options.dampening(), options.weight_decay());
    }
  }

  std::vector<double> live_numbers(const SGDOptions& options) const override {
    if (!options.live()) {
      return {options.lr()};
    }
    return {options.lr(), options.momentum(), 1 - options.dampening(), options.dampening(), options.weight_decay(), -options.lr()};
  }

  void update(const batch& batch, const SGDOptions& options) const override {
    if (options.momentum() != 0 && options.dampening() != 0) {
      return update_dampened(batch, options);
    }
    const tensors buffers = options.momentum() != 0 ? batch.column(&SGDParamState::momentum_buffer) : tensors();
    fused(batch.parameters, batch.gradients, buffers, batch, options, false, batch.found_inf);
  }

  void update_live(const batch& batch, const SGDOptions& options) const override {
    const auto& numbers = batch.numbers;
    tensors gradients = batch.gradients;
    if (options.weight_decay() != 0) {
      const tensors decays = at::_foreach_mul(batch.parameters, numbers[sgd_number::weight_decay]);
      gradients = options.maximize() ? at::_foreach_sub(decays, gradients) : at::_foreach_add(gradients, decays);
    } else if (options.maximize()) {
      gradients = at::_foreach_neg(gradients);
    }
    if (options.momentum() != 0) {
      gradients = with_momentum(batch, options, gradients);
    }
    at::_foreach_add_(batch.parameters, at::_foreach_mul(gradients, numbers[sgd_number::minus_lr]));
  }

  static tensors with_momentum(const batch& batch, const SGDOptions& options, const tensors& gradients) {
    const auto& numbers = batch.numbers;
    const tensors buffers = batch.column(&SGDParamState::momentum_buffer);
    tensors added = gradients;
    if (options.dampening() != 0) {
      const tensors fresh = batch.column(&SGDParamState::fresh);
      const tensors weights = at::_foreach_mul(fresh, numbers[sgd_number::dampening]);
      at::_foreach_add_(weights, numbers[sgd_number::one_minus_dampening]);
      added = at::_foreach_mul(gradients, weights);
      at::_foreach_zero_(fresh);
    }
    at::_foreach_mul_(buffers, numbers[sgd_number::momentum]);
    at::_foreach_add_(buffers, added);
    return options.nesterov() ? at::_foreach_add(gradients, at::_foreach_mul(buffers, numbers[sgd_number::momentum])) : buffers;
  }
};

std::unique_ptr<SGDOptions> checked(SGDOptions options) {
  TORCH_CHECK(options.lr() >= 0, "graphed::optim::SGD: Invalid learning rate: ", options.lr());
  TORCH_CHECK(options.momentum() >= 0, "graphed::optim::SGD: Invalid momentum value: ", options.momentum());
  TORCH_CHECK(options.weight_decay() >= 0, "graphed::optim::SGD: Invalid weight_decay value: ", options.weight_decay());
  TORCH_CHECK(!options.nesterov() || (options.momentum() > 0 && options.dampening() == 0),
              "graphed::optim::SGD: Nesterov momentum requires a momentum and zero dampening");
  return std::make_unique<SGDOptions>(std::move(options));
}

}  // namespace

SGD::SGD(const std::vector<torch::optim::OptimizerParamGroup>& groups, SGDOptions defaults)
    : Optimizer(groups, checked(std::move(defaults)), std::make_unique<sgd_algorithm>()) {}

}  // namespace graphed::optim
