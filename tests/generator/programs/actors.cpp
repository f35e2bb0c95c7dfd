// SPDX-License-Identifier: Apache-2.0
//
// What acts: policies, search evaluators, normalizers and noise of reinforcement learning, as public programs have them.
// tests/generator/programs/README.md shows of each what graphgen says, and why.
#include <graphed/annotate.h>
#include <graphed/scalar.h>

#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace actors {

constexpr int64_t kEnvironments = 16, kObservation = 8, kActions = 4, kHidden = 64, kBoard = 6, kPlanes = 3, kMoves = 36;

struct Decision {
  torch::Tensor action, log_probability, value;
};

class ActorCriticImpl : public torch::nn::Module {
 public:
  ActorCriticImpl() {
    register_module("trunk", trunk_);
    register_module("logits", logits_);
    register_module("value", value_);
  }

  GRAPHED(observation: f32[kEnvironments, kObservation])
  Decision act(const torch::Tensor& observation) {
    torch::NoGradGuard no_grad;
    const torch::Tensor features = torch::tanh(trunk_->forward(observation));
    const torch::Tensor log_probabilities = torch::log_softmax(logits_->forward(features), -1);
    const torch::Tensor action = torch::multinomial(log_probabilities.exp(), 1);
    return {action.squeeze(-1), log_probabilities.gather(-1, action).squeeze(-1), value_->forward(features).squeeze(-1)};
  }

 private:
  torch::nn::Linear trunk_{kObservation, kHidden}, logits_{kHidden, kActions}, value_{kHidden, 1};
};
TORCH_MODULE(ActorCritic);

class ResidualBlockImpl : public torch::nn::Module {
 public:
  explicit ResidualBlockImpl(int layer)
      : first_(torch::nn::Conv2dOptions(kHidden, kHidden, 3).padding(1)),
        second_(torch::nn::Conv2dOptions(kHidden, kHidden, 3).padding(1)),
        first_norm_(torch::nn::BatchNorm2dOptions(kHidden).eps(0.001).momentum(0.01)),
        second_norm_(torch::nn::BatchNorm2dOptions(kHidden).eps(0.001).momentum(0.01)) {
    const std::string prefix = "residual_" + std::to_string(layer);
    register_module(prefix + "_first", first_);
    register_module(prefix + "_second", second_);
    register_module(prefix + "_first_norm", first_norm_);
    register_module(prefix + "_second_norm", second_norm_);
  }

  torch::Tensor forward(const torch::Tensor& x) {
    torch::Tensor output = torch::relu(first_norm_(first_(x)));
    output = second_norm_(second_(output));
    output += x;
    return torch::relu(output);
  }

 private:
  torch::nn::Conv2d first_, second_;
  torch::nn::BatchNorm2d first_norm_, second_norm_;
};
TORCH_MODULE(ResidualBlock);

struct ValueAndPolicy {
  torch::Tensor value, policy;
};

class ValuePolicyNetImpl : public torch::nn::Module {
 public:
  explicit ValuePolicyNetImpl(int depth = 3)
      : depth_(depth),
        input_(torch::nn::Conv2dOptions(kPlanes, kHidden, 3).padding(1)),
        value_(kHidden * kMoves, 1),
        policy_(kHidden * kMoves, kMoves) {
    for (int layer = 0; layer < depth_; ++layer) {
      blocks_->push_back(ResidualBlock(layer));
    }
    register_module("input", input_);
    register_module("blocks", blocks_);
    register_module("value", value_);
    register_module("policy", policy_);
  }

  GRAPHED(observations: f32[B, kPlanes * kMoves], legal: bool[B, kMoves]; B in {1, 8, 64} pad)
  ValueAndPolicy forward(torch::Tensor observations, torch::Tensor legal) {
    torch::Tensor x = torch::relu(input_(observations.view({-1, kPlanes, kBoard, kBoard})));
    for (int layer = 0; layer < depth_; ++layer) {
      x = blocks_[layer]->as<ResidualBlock>()->forward(x);
    }
    x = x.flatten(1);
    torch::Tensor logits = policy_(x);
    logits = torch::where(legal, logits, -(1 << 16) * torch::ones_like(logits));
    return {torch::tanh(value_(x)), torch::softmax(logits, 1)};
  }

  GRAPHED(observations: f32[64, kPlanes * kMoves], legal: bool[64, kMoves], policies: f32[64, kMoves], values: f32[64, 1])
  std::vector<torch::Tensor> losses(const torch::Tensor& observations, const torch::Tensor& legal, const torch::Tensor& policies,
                                    const torch::Tensor& values) {
    const ValueAndPolicy output = forward(observations, legal);
    torch::nn::MSELoss mse_loss;
    torch::Tensor weight_penalty = torch::zeros({1, 1}, observations.options());
    for (const auto& parameter : named_parameters()) {
      if (parameter.key().find("bias") != std::string::npos) {
        continue;
      }
      weight_penalty += 1e-4 * torch::sum(torch::square(parameter.value())) / 2;
    }
    return {torch::sum(-policies * torch::log(output.policy + 1e-9), -1).mean(), mse_loss(output.value, values), weight_penalty};
  }

 private:
  int depth_;
  torch::nn::Conv2d input_;
  torch::nn::ModuleList blocks_;
  torch::nn::Linear value_, policy_;
};
TORCH_MODULE(ValuePolicyNet);

class SearchEvaluator {
 public:
  explicit SearchEvaluator(ValuePolicyNet net) : net_(std::move(net)) {}

  GRAPHED(observations: f32[8, kPlanes * kMoves], legal: bool[8, kMoves])
  torch::Tensor evaluate(const torch::Tensor& observations, const torch::Tensor& legal) {
    torch::NoGradGuard no_grad;
    const ValueAndPolicy output = net_->forward(observations, legal);
    values_.clear();
    for (int64_t leaf = 0; leaf < observations.size(0); ++leaf) {
      values_.push_back(output.value[leaf].item<double>());
    }
    return output.policy;
  }

 private:
  ValuePolicyNet net_;
  std::vector<double> values_;
};

class QNetworkImpl : public torch::nn::Module {
 public:
  QNetworkImpl() {
    layers_ = register_module(
        "layers", torch::nn::Sequential(torch::nn::Linear(kObservation, kHidden), torch::nn::ReLU(), torch::nn::Linear(kHidden, kActions)));
  }

  torch::Tensor forward(const torch::Tensor& x) { return layers_->forward(x); }

 private:
  torch::nn::Sequential layers_;
};
TORCH_MODULE(QNetwork);

class DqnAgent {
 public:
  GRAPHED(observation: f32[1, kObservation])
  torch::Tensor act(const torch::Tensor& observation) {
    epsilon_ = std::max(0.05, epsilon_ * 0.999);
    const double draw = static_cast<double>(std::rand()) / RAND_MAX;
    if (draw < epsilon_) {
      return torch::randint(kActions, {1}, torch::TensorOptions(torch::kLong).device(observation.device()));
    }
    return net_->forward(observation).argmax(-1);
  }

  GRAPHED(observation: f32[kEnvironments, kObservation], epsilon: live)
  torch::Tensor explore(const torch::Tensor& observation, const graphed::Scalar& epsilon) {
    torch::NoGradGuard no_grad;
    const torch::Tensor greedy = net_->forward(observation).argmax(-1);
    const torch::Tensor random = torch::randint(kActions, {kEnvironments}, greedy.options());
    return torch::where(torch::rand({kEnvironments}, observation.options()) < epsilon.like(observation), random, greedy);
  }

 private:
  QNetwork net_;
  double epsilon_ = 1.0;
};

class SquashedGaussianImpl : public torch::nn::Module {
 public:
  SquashedGaussianImpl() {
    register_module("trunk", trunk_);
    register_module("mean", mean_);
    register_module("log_std", log_std_);
  }

  GRAPHED(observation: f32[kEnvironments, kObservation])
  std::tuple<torch::Tensor, torch::Tensor> sample(const torch::Tensor& observation) {
    const torch::Tensor features = torch::relu(trunk_(observation));
    const torch::Tensor mean = mean_(features);
    const torch::Tensor std = log_std_(features).clamp(-20, 2).exp();
    const torch::Tensor raw = mean + std * torch::randn_like(mean);
    const torch::Tensor action = torch::tanh(raw);
    torch::Tensor log_probability = -0.5 * (((raw - mean) / std).pow(2) + 2 * std.log() + std::log(2 * M_PI));
    log_probability -= torch::log(1 - action.pow(2) + 1e-6);
    return {action, log_probability.sum(-1, true)};
  }

 private:
  torch::nn::Linear trunk_{kObservation, kHidden}, mean_{kHidden, kActions}, log_std_{kHidden, kActions};
};
TORCH_MODULE(SquashedGaussian);

class RobotController {
 public:
  GRAPHED(observation: f32[1, kObservation])
  torch::Tensor control(const torch::Tensor& observation) {
    torch::NoGradGuard no_grad;
    const torch::Tensor action = torch::tanh(net_->forward(observation)).to(torch::kCPU);
    std::memcpy(command_.data(), action.data_ptr<float>(), sizeof(command_));
    return action;
  }

 private:
  QNetwork net_;
  std::array<float, kActions> command_{};
};

class RunningNormalizer {
 public:
  GRAPHED(observation: f32[kEnvironments, kObservation])
  torch::Tensor update_and_normalize(const torch::Tensor& observation) {
    const auto count = static_cast<double>(observation.size(0));
    const torch::Tensor delta = observation.mean(0) - mean_;
    const double total = count_ + count;
    mean_ = mean_ + delta * count / total;
    variance_ = (variance_ * count_ + observation.var(0, false) * count) / total;
    count_ = total;
    return (observation - mean_) / torch::sqrt(variance_ + 1e-8);
  }

 private:
  torch::Tensor mean_ = torch::zeros({kObservation}), variance_ = torch::ones({kObservation});
  double count_ = 1e-4;
};

class DeviceNormalizerImpl : public torch::nn::Module {
 public:
  DeviceNormalizerImpl() {
    mean_ = register_buffer("mean", torch::zeros({kObservation}));
    variance_ = register_buffer("variance", torch::ones({kObservation}));
    count_ = register_buffer("count", torch::zeros({}));
  }

  GRAPHED(observation: f32[kEnvironments, kObservation])
  torch::Tensor forward(const torch::Tensor& observation) {
    if (is_training()) {
      torch::NoGradGuard no_grad;
      count_ += observation.size(0);
      const torch::Tensor rate = static_cast<double>(observation.size(0)) / count_;
      mean_.lerp_(observation.mean(0), rate);
      variance_.copy_(torch::lerp(variance_, (observation - mean_).square().mean(0), rate));
    }
    return ((observation - mean_) / (variance_ + 1e-8).sqrt()).clamp(-10, 10);
  }

 private:
  torch::Tensor mean_, variance_, count_;
};
TORCH_MODULE(DeviceNormalizer);

class OrnsteinUhlenbeck {
 public:
  GRAPHED(action: f32[kEnvironments, kActions])
  torch::Tensor operator()(const torch::Tensor& action) {
    state_ = state_ + theta_ * (mu_ - state_) * dt_ + sigma_ * std::sqrt(dt_) * torch::randn_like(state_);
    return torch::clamp(action + state_, -1.0, 1.0);
  }

 private:
  double mu_ = 0.0, sigma_ = 0.2, theta_ = 0.15, dt_ = 1e-2;
  torch::Tensor state_ = torch::zeros({kEnvironments, kActions});
};

class RecurrentActorImpl : public torch::nn::Module {
 public:
  RecurrentActorImpl() {
    register_module("cell", cell_);
    register_module("head", head_);
    hidden_ = torch::zeros({1, kHidden});
  }

  GRAPHED(observation: f32[1, kObservation])
  torch::Tensor step(const torch::Tensor& observation) {
    hidden_ = cell_(observation, hidden_);
    return torch::softmax(head_(hidden_), -1);
  }

  GRAPHED(observation: f32[B, kObservation], hidden: f32[B, kHidden], done: f32[B, 1]; B in {1, 16})
  std::tuple<torch::Tensor, torch::Tensor> step_from(const torch::Tensor& observation, torch::Tensor hidden, const torch::Tensor& done) {
    hidden = hidden * (1 - done);
    hidden = cell_(observation, hidden);
    return {torch::softmax(head_(hidden), -1), hidden};
  }

 private:
  torch::nn::GRUCell cell_{kObservation, kHidden};
  torch::nn::Linear head_{kHidden, kActions};
  torch::Tensor hidden_;
};
TORCH_MODULE(RecurrentActor);

}  // namespace actors
