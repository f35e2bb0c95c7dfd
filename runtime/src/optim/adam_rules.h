// SPDX-License-Identifier: Apache-2.0
//
// The part that Adam and AdamW share.
#pragma once

#include "optim/algorithm.h"
#include "optim/archive.h"

#include <graphed/optim/adam.h>

#include <ATen/Functions.h>

namespace graphed::optim {

/// How weight decay acts.
enum class decay { coupled, decoupled };

/// The update by foreach operators, every number a tensor: those of adam_numbers().
void update_adam_live(const batch& batch, decay decay, bool decays, bool amsgrad, bool maximize);
/// lr; beta1, beta2, 1 - beta1, 1 - beta2, eps, weight decay, 1 - lr * weight decay, -lr.
std::vector<double> adam_numbers(double lr, double beta1, double beta2, double eps, double weight_decay);

template <class Options>
void check_adam(const char* name, const Options& options) {
  const auto [beta1, beta2] = options.betas();
  TORCH_CHECK(options.lr() >= 0, "graphed::optim::", name, ": Invalid learning rate: ", options.lr());
  TORCH_CHECK(options.eps() >= 0, "graphed::optim::", name, ": Invalid epsilon value: ", options.eps());
  TORCH_CHECK(0 <= beta1 && beta1 < 1, "graphed::optim::", name, ": Invalid beta parameter at index 0: ", beta1);
  TORCH_CHECK(0 <= beta2 && beta2 < 1, "graphed::optim::", name, ": Invalid beta parameter at index 1: ", beta2);
  TORCH_CHECK(options.weight_decay() >= 0, "graphed::optim::", name, ": Invalid weight_decay value: ", options.weight_decay());
}

template <class Options, class TorchOptions, class TorchState, decay Decay>
class adam_rules : public typed_algorithm<Options, TorchOptions, AdamParamState, TorchState> {
  void complete(AdamParamState& state, const at::Tensor& parameter, const Options& options) const final {
    if (!state.step().defined()) {
      state.step(make_number(parameter, 0));
    }
    if (!state.exp_avg().defined()) {
      state.exp_avg(make_zeros(parameter));
    }
    if (!state.exp_avg_sq().defined()) {
      state.exp_avg_sq(make_zeros(parameter));
    }
    if (options.amsgrad() && !state.max_exp_avg_sq().defined()) {
      state.max_exp_avg_sq(make_zeros(parameter));
    }
  }

  void append_frozen(const Options& options, std::string& bytes) const final {
    append(bytes, options.amsgrad(), options.weight_decay() != 0);
    if (!options.live()) {
      append(bytes, std::get<0>(options.betas()), std::get<1>(options.betas()), options.eps(), options.weight_decay());
    }
  }

  std::vector<double> live_numbers(const Options& options) const final {
    if (!options.live()) {
      return {options.lr()};
    }
    return adam_numbers(options.lr(), std::get<0>(options.betas()), std::get<1>(options.betas()), options.eps(), options.weight_decay());
  }

  void update(const batch& batch, const Options& options) const final {
    const tensors steps = batch.column(&AdamParamState::step);
    const tensors largest = options.amsgrad() ? batch.column(&AdamParamState::max_exp_avg_sq) : tensors();
    at::_foreach_add_(steps, 1);
    const auto fused = [&](auto&& operation) {
      operation(batch.parameters, batch.gradients, batch.column(&AdamParamState::exp_avg), batch.column(&AdamParamState::exp_avg_sq),
                largest, steps, batch.numbers[0], std::get<0>(options.betas()), std::get<1>(options.betas()), options.weight_decay(),
                options.eps(), options.amsgrad(), options.maximize(), batch.grad_scale, batch.found_inf);
    };
    if constexpr (Decay == decay::coupled) {
      fused(at::_ops::_fused_adam__tensor_lr::call);
    } else {
      fused(at::_ops::_fused_adamw__tensor_lr::call);
    }
    if (batch.found_inf) {
      at::_foreach_sub_(steps, tensors(steps.size(), *batch.found_inf));
    }
  }

  void update_live(const batch& batch, const Options& options) const final {
    update_adam_live(batch, Decay, options.weight_decay() != 0, options.amsgrad(), options.maximize());
  }

  std::unique_ptr<TorchState> to_torch(const AdamParamState& state) const final {
    auto made = std::make_unique<TorchState>();
    made->step(count_of(state.step()));
    made->exp_avg(state.exp_avg());
    made->exp_avg_sq(state.exp_avg_sq());
    made->max_exp_avg_sq(state.max_exp_avg_sq());
    return made;
  }

  void from_torch(const TorchState& state, const at::Tensor& parameter, AdamParamState& into) const final {
    const auto value = [&](const at::Tensor& saved) { return saved.defined() ? saved : at::zeros_like(parameter); };
    assign(into.step(), make_number(parameter, static_cast<double>(state.step())));
    assign(into.exp_avg(), value(state.exp_avg()));
    assign(into.exp_avg_sq(), value(state.exp_avg_sq()));
    assign(into.max_exp_avg_sq(), into.max_exp_avg_sq().defined() ? value(state.max_exp_avg_sq()) : state.max_exp_avg_sq());
  }
};

}  // namespace graphed::optim
