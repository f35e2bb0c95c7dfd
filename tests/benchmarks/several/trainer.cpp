// SPDX-License-Identifier: Apache-2.0
#include "trainer.h"

#include <torch/torch.h>

#include <algorithm>
#include <utility>

namespace several {
namespace {

using torch::Tensor;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::vector<std::vector<Tensor>> buckets_of(std::vector<Tensor> parameters, const Plan& plan) {
  std::reverse(parameters.begin(), parameters.end());
  std::size_t left = 0;
  for (const Tensor& parameter : parameters) {
    left += parameter.nbytes();
  }
  std::vector<std::vector<Tensor>> full;
  std::vector<Tensor> open;
  std::size_t bytes = 0;
  for (const Tensor& parameter : parameters) {
    open.push_back(parameter);
    bytes += parameter.nbytes();
    left -= parameter.nbytes();
    const std::size_t tapered = plan.tapers ? std::min(plan.bytes, std::max(left, mebibyte)) : plan.bytes;
    if (bytes >= (full.empty() ? mebibyte : tapered) || left == 0) {
      full.push_back(std::exchange(open, {}));
      bytes = 0;
    }
  }
  return full;
}

std::vector<torch::optim::OptimizerParamGroup> groups_of(const std::vector<Tensor>& parameters, const Plan& plan) {
  std::vector<torch::optim::OptimizerParamGroup> groups;
  if (plan.divides_optimizer) {
    for (auto& bucket : buckets_of(parameters, plan)) {
      groups.emplace_back(bucket);
    }
  } else {
    groups.emplace_back(parameters);
  }
  return groups;
}

}  // namespace

Plan::Plan(const std::string& name)
    : name(name),
      own(name == "own"),
      bytes(own ? 0 : std::stoul(name) * mebibyte),
      tapers(name.find('t') != std::string::npos),
      divides_optimizer(!own && name.find('o') != std::string::npos) {}

Trainer::Trainer(Network network, graphed::ProcessGroup* ranks, const Plan& plan)
    : net(std::move(network.layers)),
      group_(ranks),
      buckets_(plan.own ? std::vector<std::vector<Tensor>>() : buckets_of(net->parameters(), plan)),
      optimizer_(
          std::make_unique<graphed::optim::SGD>(groups_of(net->parameters(), plan), graphed::optim::SGDOptions(0.01).momentum(0.5))) {}

void Trainer::average() {
  if (group_ == nullptr) {
    return;
  }
  if (buckets_.empty()) {
    group_->average_gradients(*net);
    return;
  }
  for (const auto& bucket : buckets_) {
    std::vector<Tensor> gradients;
    for (const Tensor& parameter : bucket) {
      gradients.push_back(parameter.grad());
    }
    group_->all_reduce_(gradients, graphed::ReduceOp::Average);
  }
}

Tensor Trainer::fit(const Tensor& x, const Tensor& y) {
  optimizer_->zero_grad();
  const Tensor loss = torch::mse_loss(net->forward(x), y);
  loss.backward();
  average();
  optimizer_->step();
  return loss.detach();
}

}  // namespace several
