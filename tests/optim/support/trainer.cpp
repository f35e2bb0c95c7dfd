// SPDX-License-Identifier: Apache-2.0
#include "trainer.h"

#include <graphed/clip_grad.h>

#include <ATen/ATen.h>
#include <torch/optim.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace graphed::testing {
namespace {

const std::vector<std::vector<int64_t>> shapes = {{5, 7}, {7}, {3, 3, 2}};

template <class Options>
Options sgd_options(const optimizer_case& which) {
  Options options(which.get("lr", 0));
  options.momentum(which.get("momentum", 0));
  options.dampening(which.get("dampening", 0));
  options.weight_decay(which.get("weight_decay", 0));
  options.nesterov(which.has("nesterov"));
  return options;
}

template <class Options>
Options adam_options(const optimizer_case& which) {
  Options options(which.get("lr", 0));
  options.betas(std::make_tuple(which.get("beta1", 0.9), which.get("beta2", 0.999)));
  options.eps(which.get("eps", 1e-8));
  options.weight_decay(which.get("weight_decay", which.optimizer == "AdamW" ? 1e-2 : 0));
  options.amsgrad(which.has("amsgrad"));
  return options;
}

template <class Options>
Options adagrad_options(const optimizer_case& which) {
  Options options(which.get("lr", 0));
  options.lr_decay(which.get("lr_decay", 0));
  options.weight_decay(which.get("weight_decay", 0));
  options.initial_accumulator_value(which.get("initial_accumulator_value", 0));
  options.eps(which.get("eps", 1e-10));
  return options;
}

template <class Options>
Options rmsprop_options(const optimizer_case& which) {
  Options options(which.get("lr", 0));
  options.alpha(which.get("alpha", 0.99));
  options.eps(which.get("eps", 1e-8));
  options.weight_decay(which.get("weight_decay", 0));
  options.momentum(which.get("momentum", 0));
  options.centered(which.has("centered"));
  return options;
}

template <class Made, class Options>
std::unique_ptr<optim::Optimizer> make(const optimizer_case& which, std::vector<torch::optim::OptimizerParamGroup> groups,
                                       Options (*shared_options)(const optimizer_case&)) {
  const auto options_of = [&](const optimizer_case& which) {
    return shared_options(which).maximize(which.has("maximize")).live(which.has("live"));
  };
  groups.at(1).set_options(options_of(which.second()).clone());
  auto made = std::make_unique<Made>(groups, options_of(which));
  // From LibTorch 2.12 on, an option that a group has at the class's default is taken from the optimizer's.
  made->param_groups().at(1).set_options(options_of(which.second()).clone());
  return made;
}

at::ScalarType dtype_of(const std::string& name) {
  static const std::map<std::string, at::ScalarType> known = {
      {"f64", at::kDouble}, {"f32", at::kFloat}, {"bf16", at::kBFloat16}, {"f16", at::kHalf}};
  return known.at(name);
}

const std::string second_group = "second.";

}  // namespace

optimizer_case optimizer_case::second() const {
  optimizer_case made = *this;
  for (const auto& [key, value] : settings) {
    if (key.compare(0, second_group.size(), second_group) == 0) {
      made.settings[key.substr(second_group.size())] = value;
    }
  }
  return made;
}

optimizer_case parse_case(const std::string& line) {
  std::istringstream words(line);
  optimizer_case made;
  words >> made.name >> made.optimizer;
  for (std::string setting; words >> setting;) {
    made.written += (made.written.empty() ? "" : " ") + setting;
    const auto equals = setting.find('=');
    const std::string key = setting.substr(0, equals), value = setting.substr(equals + 1);
    if (key == "dtype") {
      made.dtype = dtype_of(value);
    } else {
      made.settings[key] = std::stod(value);
    }
  }
  return made;
}

std::vector<optimizer_case> all_cases() {
  std::ifstream file(OPTIM_CASES);
  if (!file) {
    file.open("tests/optim/cases.txt");  // built elsewhere
  }
  std::vector<optimizer_case> all;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') {
      all.push_back(parse_case(line));
    }
  }
  return all;
}

std::unique_ptr<optim::Optimizer> make_optimizer(const optimizer_case& which, std::vector<torch::optim::OptimizerParamGroup> groups) {
  if (which.optimizer == "SGD") {
    return make<optim::SGD>(which, std::move(groups), &sgd_options<optim::SGDOptions>);
  }
  if (which.optimizer == "Adam") {
    return make<optim::Adam>(which, std::move(groups), &adam_options<optim::AdamOptions>);
  }
  if (which.optimizer == "AdamW") {
    return make<optim::AdamW>(which, std::move(groups), &adam_options<optim::AdamWOptions>);
  }
  if (which.optimizer == "Adagrad") {
    return make<optim::Adagrad>(which, std::move(groups), &adagrad_options<optim::AdagradOptions>);
  }
  if (which.optimizer == "RMSprop") {
    return make<optim::RMSprop>(which, std::move(groups), &rmsprop_options<optim::RMSpropOptions>);
  }
  throw std::invalid_argument("no optimizer " + which.optimizer);
}

std::unique_ptr<torch::optim::Optimizer> make_torch_optimizer(const optimizer_case& which,
                                                              std::vector<torch::optim::OptimizerParamGroup> groups) {
  if (which.optimizer == "SGD") {
    return std::make_unique<torch::optim::SGD>(groups, sgd_options<torch::optim::SGDOptions>(which));
  }
  if (which.optimizer == "Adam") {
    return std::make_unique<torch::optim::Adam>(groups, adam_options<torch::optim::AdamOptions>(which));
  }
  if (which.optimizer == "AdamW") {
    return std::make_unique<torch::optim::AdamW>(groups, adam_options<torch::optim::AdamWOptions>(which));
  }
  if (which.optimizer == "Adagrad") {
    return std::make_unique<torch::optim::Adagrad>(groups, adagrad_options<torch::optim::AdagradOptions>(which));
  }
  if (which.optimizer == "RMSprop") {
    return std::make_unique<torch::optim::RMSprop>(groups, rmsprop_options<torch::optim::RMSpropOptions>(which));
  }
  throw std::invalid_argument("no optimizer " + which.optimizer);
}

trainer::trainer(const optimizer_case& which, const at::Tensor& initial, c10::Device device) : case_(which) {
  int64_t offset = 0;
  for (const auto& shape : shapes) {
    const int64_t count = c10::multiply_integers(shape);
    at::Tensor parameter =
        initial.narrow(0, offset, count).reshape(shape).to(device, case_.dtype, /*non_blocking=*/false, /*copy=*/true).requires_grad_();
    parameter.mutable_grad() = at::zeros_like(parameter);
    parameters_.push_back(parameter);
    offset += count;
  }
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.emplace_back(std::vector{parameters_[0], parameters_[1]});
  groups.emplace_back(std::vector{parameters_[2]});
  optimizer_ = make_optimizer(case_, std::move(groups));
  set_rates(case_.get("lr", 0));
  if (case_.has("scaler")) {
    scaler_.emplace(device, GradScalerOptions().init_scale(1024.0).growth_interval(20).growth_factor(1.7).backoff_factor(0.6));
  }
}

at::Tensor trainer::step(const at::Tensor& gradients) {
  at::Tensor flat = gradients;
  if (scaler_) {
    flat = flat * scaler_->scale(at::ones({}, gradients.options()));
  }
  int64_t offset = 0;
  for (const at::Tensor& parameter : parameters_) {
    parameter.grad().copy_(flat.narrow(0, offset, parameter.numel()).view(parameter.sizes()));
    offset += parameter.numel();
  }
  if (case_.has("unscale")) {
    scaler_->unscale_(*optimizer_);
  }
  at::Tensor norm = flat.narrow(0, 0, 1);
  if (case_.has("clip")) {
    norm = clip_grad_norm_(parameters_, case_.get("clip", 0));
  }
  if (case_.has("clip_value")) {
    clip_grad_value_(parameters_, case_.get("clip_value", 0));
  }
  if (scaler_) {
    scaler_->step(*optimizer_);
    scaler_->update();
  } else {
    optimizer_->step();
  }
  return norm.clone();
}

void trainer::set_rates(double rate) {
  double times = 1;
  for (auto& group : optimizer_->param_groups()) {
    group.options().set_lr(times++ * rate);
  }
}

at::Tensor trainer::parameters() const {
  std::vector<at::Tensor> flat;
  for (const at::Tensor& parameter : parameters_) {
    flat.push_back(parameter.detach().reshape({-1}));
  }
  return at::cat(flat).to(at::kCPU);
}

}  // namespace graphed::testing
