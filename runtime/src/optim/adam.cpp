// SPDX-License-Identifier: Apache-2.0
#include <graphed/optim/adam.h>

#include "optim/adam_rules.h"

namespace graphed::optim {

GRAPHED_DEFINE_OPTIONS(AdamOptions)

namespace {

class adam_algorithm final : public adam_rules<AdamOptions, torch::optim::AdamOptions, torch::optim::AdamParamState, decay::coupled> {
  const char* name() const override { return "Adam"; }
};

std::unique_ptr<AdamOptions> checked(AdamOptions options) {
  check_adam("Adam", options);
  return std::make_unique<AdamOptions>(std::move(options));
}

}  // namespace

Adam::Adam(const std::vector<torch::optim::OptimizerParamGroup>& groups, AdamOptions defaults)
    : Optimizer(groups, checked(std::move(defaults)), std::make_unique<adam_algorithm>()) {}

Adam::Adam(std::vector<at::Tensor> parameters, AdamOptions defaults)
    : Adam(std::vector{torch::optim::OptimizerParamGroup(std::move(parameters))}, std::move(defaults)) {}

std::vector<double> adam_numbers(double lr, double beta1, double beta2, double eps, double weight_decay) {
  return {lr, beta1, beta2, 1 - beta1, 1 - beta2, eps, weight_decay, 1 - lr * weight_decay, -lr};
}

void update_adam_live(const batch& batch, decay decay, bool decays, bool amsgrad, bool maximize) {
  enum number { lr, beta1, beta2, one_minus_beta1, one_minus_beta2, eps, weight_decay, shrink, minus_lr };
  const auto& numbers = batch.numbers;
  const tensors steps = batch.column(&AdamParamState::step);
  const tensors averages = batch.column(&AdamParamState::exp_avg);
  const tensors squares = batch.column(&AdamParamState::exp_avg_sq);
  tensors gradients = maximize ? at::_foreach_neg(batch.gradients) : batch.gradients;
  at::_foreach_add_(steps, 1);
  if (decays && decay == decay::decoupled) {
    at::_foreach_mul_(batch.parameters, numbers[shrink]);
  } else if (decays) {
    gradients = at::_foreach_add(gradients, at::_foreach_mul(batch.parameters, numbers[weight_decay]));
  }
  at::_foreach_mul_(averages, numbers[beta1]);
  at::_foreach_add_(averages, at::_foreach_mul(gradients, numbers[one_minus_beta1]));
  at::_foreach_mul_(squares, numbers[beta2]);
  at::_foreach_add_(squares, at::_foreach_mul(at::_foreach_mul(gradients, gradients), numbers[one_minus_beta2]));
  tensors largest = squares;
  if (amsgrad) {
    largest = batch.column(&AdamParamState::max_exp_avg_sq);
    at::_foreach_maximum_(largest, squares);
  }
  const auto one_minus_power = [&](number base) {
    tensors powers = at::_foreach_pow(tensors(steps.size(), numbers[base].to(at::kFloat)), steps);
    at::_foreach_neg_(powers);
    at::_foreach_add_(powers, 1);
    return powers;
  };
  const tensors root_corrections = at::_foreach_sqrt(one_minus_power(beta2));
  tensors denominators = at::_foreach_sqrt(largest);
  at::_foreach_div_(denominators, root_corrections);
  at::_foreach_add_(denominators, numbers[eps]);
  tensors sizes = one_minus_power(beta1);
  at::_foreach_reciprocal_(sizes);
  at::_foreach_mul_(sizes, numbers[minus_lr]);
  const tensors updates = at::_foreach_div(averages, denominators);
  at::_foreach_mul_(updates, sizes);
  at::_foreach_add_(batch.parameters, updates);
}

}  // namespace graphed::optim
