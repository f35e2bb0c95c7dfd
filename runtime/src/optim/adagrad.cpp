// SPDX-License-Identifier: Apache-2.0
#include <graphed/optim/adagrad.h>

#include "optim/algorithm.h"
#include "torch/libtorch_version.h"
#include "watch/recorder.h"

#include <ATen/Functions.h>

namespace graphed::optim {

using namespace impl;

namespace {

struct adagrad_number {
  enum { lr, lr_decay, eps, weight_decay, minus_lr };
};

class adagrad_algorithm final : public typed_algorithm<AdagradOptions, torch::optim::AdagradOptions, AdagradParamState> {
  const char* name() const override { return "Adagrad"; }
  std::vector<const char*> archived() const override { return {"step", "sum"}; }
  bool divides_gradients(const torch::optim::OptimizerOptions& options) const override {
    return adagrad_divides_gradients && is_fused(options);
  }

  void complete(AdagradParamState& state, const at::Tensor& parameter, const AdagradOptions& options) const override {
    complete_number(state.step(), parameter, 0);
    if (!state.sum().defined()) {
      complete_zeros(state.sum(), parameter);
      const unrecorded_scope hidden;
      state.sum().fill_(options.initial_accumulator_value());
    }
  }

  void append_frozen(const AdagradOptions& options, std::string& bytes) const override {
    append(bytes, options.weight_decay() != 0);
    if (!options.live()) {
      append(bytes, options.lr_decay(), options.eps(), options.weight_decay());
    }
  }

  std::vector<double> live_numbers(const AdagradOptions& options) const override {
    if (!options.live()) {
      return {options.lr()};
    }
    return {options.lr(), options.lr_decay(), options.eps(), options.weight_decay(), -options.lr()};
  }

  void update(const batch& batch, const AdagradOptions& options) const override {
    const tensors steps = batch.column(&AdagradParamState::step);
    at::_foreach_add_(steps, 1);
    at::_fused_adagrad_(batch.parameters, batch.gradients, batch.column(&AdagradParamState::sum), steps, batch.numbers[adagrad_number::lr],
                        options.lr_decay(), options.weight_decay(), options.eps(), options.maximize(), batch.grad_scale, batch.found_inf);
    if (batch.found_inf) {
      at::_foreach_sub_(steps, tensors(steps.size(), *batch.found_inf));
    }
  }

  void update_live(const batch& batch, const AdagradOptions& options) const override {
    const auto& numbers = batch.numbers;
    const tensors steps = batch.column(&AdagradParamState::step);
    const tensors sums = batch.column(&AdagradParamState::sum);
    tensors gradients = options.maximize() ? at::_foreach_neg(batch.gradients) : batch.gradients;
    if (options.weight_decay() != 0) {
      gradients = at::_foreach_add(gradients, at::_foreach_mul(batch.parameters, numbers[adagrad_number::weight_decay]));
    }
    const tensors sizes = at::_foreach_mul(steps, numbers[adagrad_number::lr_decay]);
    at::_foreach_add_(sizes, 1);
    at::_foreach_reciprocal_(sizes);
    at::_foreach_mul_(sizes, numbers[adagrad_number::minus_lr]);
    at::_foreach_add_(steps, 1);
    at::_foreach_add_(sums, at::_foreach_mul(gradients, gradients));
    const tensors roots = at::_foreach_sqrt(sums);
    at::_foreach_add_(roots, numbers[adagrad_number::eps]);
    const tensors updates = at::_foreach_div(gradients, roots);
    at::_foreach_mul_(updates, sizes);
    at::_foreach_add_(batch.parameters, updates);
  }
};

std::unique_ptr<AdagradOptions> checked(AdagradOptions options) {
  TORCH_CHECK(options.lr() >= 0, "graphed::optim::Adagrad: Invalid learning rate: ", options.lr());
  TORCH_CHECK(options.lr_decay() >= 0, "graphed::optim::Adagrad: Invalid lr_decay value: ", options.lr_decay());
  TORCH_CHECK(options.weight_decay() >= 0, "graphed::optim::Adagrad: Invalid weight_decay value: ", options.weight_decay());
  TORCH_CHECK(options.initial_accumulator_value() >= 0,
              "graphed::optim::Adagrad: Invalid initial_accumulator_value value: ", options.initial_accumulator_value());
  TORCH_CHECK(options.eps() >= 0, "graphed::optim::Adagrad: Invalid epsilon value: ", options.eps());
  return std::make_unique<AdagradOptions>(std::move(options));
}

}  // namespace

Adagrad::Adagrad(const std::vector<torch::optim::OptimizerParamGroup>& groups, AdagradOptions defaults)
    : Optimizer(groups, checked(std::move(defaults)), std::make_unique<adagrad_algorithm>()) {}

}  // namespace graphed::optim
