// SPDX-License-Identifier: Apache-2.0
#include <graphed/optim/adam.h>

#include "optim/algorithm.h"

#include <graphed/optim/adamw.h>

#include <ATen/Functions.h>

namespace graphed::optim {
namespace {

/// How weight decay acts.
enum class decay { coupled, decoupled };

struct adam_number {
  enum { lr, beta1, beta2, one_minus_beta1, one_minus_beta2, eps, weight_decay, shrink, minus_lr };
};

template <class Options, class TorchOptions, decay Decay>
class adam_algorithm final : public typed_algorithm<Options, TorchOptions, AdamParamState> {
  const char* name() const override { return Decay == decay::coupled ? "Adam" : "AdamW"; }
  std::vector<const char*> archived() const override { return {"step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"}; }

  void complete(AdamParamState& state, const at::Tensor& parameter, const Options& options) const override {
    complete_number(state.step(), parameter, 0);
    complete_zeros(state.exp_avg(), parameter);
    complete_zeros(state.exp_avg_sq(), parameter);
    if (options.amsgrad()) {
      complete_zeros(state.max_exp_avg_sq(), parameter);
    }
  }

  void append_frozen(const Options& options, std::string& bytes) const override {
    impl::append(bytes, options.amsgrad(), options.weight_decay() != 0);
    if (!options.live()) {
      impl::append(bytes, std::get<0>(options.betas()), std::get<1>(options.betas()), options.eps(), options.weight_decay());
    }
  }

  std::vector<double> live_numbers(const Options& options) const override {
    if (!options.live()) {
      return {options.lr()};
    }
    const auto [beta1, beta2] = options.betas();
    const double lr = options.lr(), weight_decay = options.weight_decay();
    return {lr, beta1, beta2, 1 - beta1, 1 - beta2, options.eps(), weight_decay, 1 - lr * weight_decay, -lr};
  }

  void update(const batch& batch, const Options& options) const override {
    const tensors steps = batch.column(&AdamParamState::step);
    const tensors largest = options.amsgrad() ? batch.column(&AdamParamState::max_exp_avg_sq) : tensors();
    at::_foreach_add_(steps, 1);
    const auto fused = [&](auto&& operation) {
      operation(batch.parameters, batch.gradients, batch.column(&AdamParamState::exp_avg), batch.column(&AdamParamState::exp_avg_sq),
                largest, steps, batch.numbers[adam_number::lr], std::get<0>(options.betas()), std::get<1>(options.betas()),
                options.weight_decay(), options.eps(), options.amsgrad(), options.maximize(), batch.grad_scale, batch.found_inf);
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

  // By foreach operators, every number a tensor.
  void update_live(const batch& batch, const Options& options) const override {
    const auto& numbers = batch.numbers;
    const tensors steps = batch.column(&AdamParamState::step);
    const tensors averages = batch.column(&AdamParamState::exp_avg);
    const tensors squares = batch.column(&AdamParamState::exp_avg_sq);
    tensors gradients = options.maximize() ? at::_foreach_neg(batch.gradients) : batch.gradients;
    at::_foreach_add_(steps, 1);
    if (options.weight_decay() != 0 && Decay == decay::decoupled) {
      at::_foreach_mul_(batch.parameters, numbers[adam_number::shrink]);
    } else if (options.weight_decay() != 0) {
      gradients = at::_foreach_add(gradients, at::_foreach_mul(batch.parameters, numbers[adam_number::weight_decay]));
    }
    at::_foreach_mul_(averages, numbers[adam_number::beta1]);
    at::_foreach_add_(averages, at::_foreach_mul(gradients, numbers[adam_number::one_minus_beta1]));
    at::_foreach_mul_(squares, numbers[adam_number::beta2]);
    at::_foreach_add_(squares, at::_foreach_mul(at::_foreach_mul(gradients, gradients), numbers[adam_number::one_minus_beta2]));
    tensors largest = squares;
    if (options.amsgrad()) {
      largest = batch.column(&AdamParamState::max_exp_avg_sq);
      at::_foreach_maximum_(largest, squares);
    }
    const auto one_minus_power = [&](const at::Tensor& base) {
      tensors powers = at::_foreach_pow(tensors(steps.size(), base.to(at::kFloat)), steps);
      at::_foreach_neg_(powers);
      at::_foreach_add_(powers, 1);
      return powers;
    };
    const tensors root_corrections = at::_foreach_sqrt(one_minus_power(numbers[adam_number::beta2]));
    tensors denominators = at::_foreach_sqrt(largest);
    at::_foreach_div_(denominators, root_corrections);
    at::_foreach_add_(denominators, numbers[adam_number::eps]);
    tensors sizes = one_minus_power(numbers[adam_number::beta1]);
    at::_foreach_reciprocal_(sizes);
    at::_foreach_mul_(sizes, numbers[adam_number::minus_lr]);
    const tensors updates = at::_foreach_div(averages, denominators);
    at::_foreach_mul_(updates, sizes);
    at::_foreach_add_(batch.parameters, updates);
  }
};

using adam = adam_algorithm<AdamOptions, torch::optim::AdamOptions, decay::coupled>;
using adamw = adam_algorithm<AdamWOptions, torch::optim::AdamWOptions, decay::decoupled>;

template <class Options>
std::unique_ptr<Options> checked(const char* name, Options options) {
  const auto [beta1, beta2] = options.betas();
  TORCH_CHECK(options.lr() >= 0, "graphed::optim::", name, ": Invalid learning rate: ", options.lr());
  TORCH_CHECK(options.eps() >= 0, "graphed::optim::", name, ": Invalid epsilon value: ", options.eps());
  TORCH_CHECK(0 <= beta1 && beta1 < 1, "graphed::optim::", name, ": Invalid beta parameter at index 0: ", beta1);
  TORCH_CHECK(0 <= beta2 && beta2 < 1, "graphed::optim::", name, ": Invalid beta parameter at index 1: ", beta2);
  TORCH_CHECK(options.weight_decay() >= 0, "graphed::optim::", name, ": Invalid weight_decay value: ", options.weight_decay());
  return std::make_unique<Options>(std::move(options));
}

}  // namespace

Adam::Adam(const std::vector<torch::optim::OptimizerParamGroup>& groups, AdamOptions defaults)
    : Optimizer(groups, checked("Adam", std::move(defaults)), std::make_unique<adam>()) {}

AdamW::AdamW(const std::vector<torch::optim::OptimizerParamGroup>& groups, AdamWOptions defaults)
    : Optimizer(groups, checked("AdamW", std::move(defaults)), std::make_unique<adamw>()) {}

}  // namespace graphed::optim
