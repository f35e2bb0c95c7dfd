// SPDX-License-Identifier: Apache-2.0
#include "optimizers.h"

#include <graphed/optim.h>

namespace graphed::fuzz::training {
namespace {

using kind = optimizer::kind;

void set(optim::SGDOptions& options, number which, double value) {
  switch (which) {
    case number::first:
      options.momentum(value);
      return;
    case number::second:
      options.dampening(value);
      return;
    case number::flag:
      options.nesterov(value != 0);
      return;
    default:
      return;
  }
}

template <class Adam>  // or AdamW
void set_of_adam(Adam& options, number which, double value) {
  switch (which) {
    case number::first:
      options.betas({value, std::get<1>(options.betas())});
      return;
    case number::second:
      options.betas({std::get<0>(options.betas()), value});
      return;
    case number::flag:
      options.amsgrad(value != 0);
      return;
    default:
      return;
  }
}

void set(optim::AdamOptions& options, number which, double value) { set_of_adam(options, which, value); }
void set(optim::AdamWOptions& options, number which, double value) { set_of_adam(options, which, value); }

void set(optim::AdagradOptions& options, number which, double value) {
  if (which == number::first) {
    options.lr_decay(value);
  }
}

void set(optim::RMSpropOptions& options, number which, double value) {
  switch (which) {
    case number::first:
      options.momentum(value);
      return;
    case number::second:
      options.alpha(value);
      return;
    case number::flag:
      options.centered(value != 0);
      return;
    default:
      return;
  }
}

template <class Options>
bool try_set(torch::optim::OptimizerOptions& options, number which, double value) {
  auto* own = dynamic_cast<Options*>(&options);
  if (own == nullptr) {
    return false;
  }
  switch (which) {
    case number::lr:
      own->lr(value);
      break;
    case number::weight_decay:
      own->weight_decay(value);
      break;
    case number::maximize:
      own->maximize(value != 0);
      break;
    case number::live:
      own->live(value != 0);
      break;
    default:
      set(*own, which, value);
  }
  return true;
}

using groups = std::vector<torch::optim::OptimizerParamGroup>;

template <class Optimizer, class Options>
std::unique_ptr<optim::Optimizer> make(const optimizer& description, groups groups, Options options) {
  for (std::size_t i = 0; i < numbers; ++i) {
    set_option(options, static_cast<number>(i), description.options[i]);
  }
  if (groups.size() > 1) {
    auto first = std::make_unique<Options>(options);
    first->lr(description.option(number::lr) / 2);
    groups[0].set_options(std::move(first));
  }
  return std::make_unique<Optimizer>(std::move(groups), std::move(options));
}

}  // namespace

void set_option(torch::optim::OptimizerOptions& options, number which, double value) {
  try_set<optim::SGDOptions>(options, which, value) || try_set<optim::AdamOptions>(options, which, value) ||
      try_set<optim::AdamWOptions>(options, which, value) || try_set<optim::AdagradOptions>(options, which, value) ||
      try_set<optim::RMSpropOptions>(options, which, value);
}

std::unique_ptr<optim::Optimizer> make_optimizer(const optimizer& description, const std::vector<at::Tensor>& parameters) {
  const auto end = parameters.end() - (description.leaves_out ? 1 : 0);
  const auto middle = parameters.begin() + (description.has_two_groups ? 1 : 0);
  groups groups;
  if (description.has_two_groups) {
    groups.emplace_back(std::vector<at::Tensor>(parameters.begin(), middle));
  }
  groups.emplace_back(std::vector<at::Tensor>(middle, end));
  switch (description.what) {
    case kind::sgd:
      return make<optim::SGD>(description, std::move(groups), optim::SGDOptions(0.1));
    case kind::adam:
      return make<optim::Adam>(description, std::move(groups), optim::AdamOptions());
    case kind::adamw:
      return make<optim::AdamW>(description, std::move(groups), optim::AdamWOptions());
    case kind::adagrad:
      return make<optim::Adagrad>(description, std::move(groups), optim::AdagradOptions());
    case kind::rmsprop:
      return make<optim::RMSprop>(description, std::move(groups), optim::RMSpropOptions());
  }
  return nullptr;
}

void add_group(optim::Optimizer& optimizer, const at::Tensor& parameter) {
  torch::optim::OptimizerParamGroup group({parameter});
  group.set_options(optimizer.param_groups()[0].options().clone());
  optimizer.add_param_group(group);
}

std::vector<at::Tensor> state_of(optim::Optimizer& optimizer) {
  std::vector<at::Tensor> tensors;
  for (const auto& group : optimizer.param_groups()) {
    for (const at::Tensor& parameter : group.params()) {
      const auto found = optimizer.state().find(parameter.unsafeGetTensorImpl());
      if (found == optimizer.state().end()) {
        tensors.emplace_back();
        continue;
      }
      for (const at::Tensor* tensor : dynamic_cast<optim::ParamState&>(*found->second).tensors()) {
        tensors.push_back(*tensor);
      }
    }
  }
  return tensors;
}

}  // namespace graphed::fuzz::training
