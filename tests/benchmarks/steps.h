// SPDX-License-Identifier: Apache-2.0
//
// Whole training steps.
#pragma once

#include "workload.h"

#include <graphed/annotate.h>

#include <torch/nn.h>
#include <torch/optim/optimizer.h>

#include <cstdint>
#include <memory>

namespace benchmarks {

/// The network of PyTorch's C++ example (https://github.com/pytorch/examples/tree/main/cpp/mnist), by SGD with a rate of 0.01 and a
/// momentum of 0.5.
class MnistImpl : public torch::nn::Module {
 public:
  explicit MnistImpl(c10::Device device, optimizers choice);

  GRAPHED(images: f32[64, 1, 28, 28], labels: i64[64]; step)
  torch::Tensor learn(const torch::Tensor& images, const torch::Tensor& labels);

 private:
  torch::Tensor forward(const torch::Tensor& images);

  torch::nn::Conv2d conv1_, conv2_;
  torch::nn::Dropout2d dropout_;
  torch::nn::Linear linear1_, linear2_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
};
TORCH_MODULE(Mnist);

/// Two critics of observations and actions, 23-256-256-1 each, side by side.
class CriticsImpl : public torch::nn::Module {
 public:
  CriticsImpl();

  /// observations: f32[n, 17]; actions: f32[n, 6]. f32[n, 1].
  torch::Tensor first(const torch::Tensor& observations, const torch::Tensor& actions);
  torch::Tensor second(const torch::Tensor& observations, const torch::Tensor& actions);
  torch::Tensor lower(const torch::Tensor& observations, const torch::Tensor& actions);
  /// The sum of both squared errors.
  torch::Tensor loss(const torch::Tensor& observations, const torch::Tensor& actions, const torch::Tensor& targets);

 private:
  torch::nn::Sequential first_, second_;
};
TORCH_MODULE(Critics);

/// TD3 (https://arxiv.org/abs/1802.09477) with the sizes and numbers of LeanRL's td3_continuous_action: one update of the critics, of the
/// actor and of the targets.
class Td3Impl : public torch::nn::Module {
 public:
  explicit Td3Impl(c10::Device device, optimizers choice);

  GRAPHED(observations: f32[256, 17], actions: f32[256, 6], next: f32[256, 17], rewards: f32[256, 1], ended: f32[256, 1];
          step)
  torch::Tensor learn(const torch::Tensor& observations, const torch::Tensor& actions, const torch::Tensor& next,
                      const torch::Tensor& rewards, const torch::Tensor& ended);

 private:
  torch::nn::Sequential actor_, target_actor_;
  Critics critics_, target_critics_;
  std::unique_ptr<torch::optim::Optimizer> actor_optimizer_, critic_optimizer_;
};
TORCH_MODULE(Td3);

/// SAC (https://arxiv.org/abs/1812.05905) with the sizes and numbers of LeanRL's sac_continuous_action: one update of the critics, of the
/// actor, of the temperature and of the targets.
class SacImpl : public torch::nn::Module {
 public:
  explicit SacImpl(c10::Device device, optimizers choice);

  GRAPHED(observations: f32[256, 17], actions: f32[256, 6], next: f32[256, 17], rewards: f32[256, 1], ended: f32[256, 1];
          step)
  torch::Tensor learn(const torch::Tensor& observations, const torch::Tensor& actions, const torch::Tensor& next,
                      const torch::Tensor& rewards, const torch::Tensor& ended);

 private:
  struct Draw {
    torch::Tensor actions, log_likelihoods;
  };
  Draw draw(const torch::Tensor& observations);

  torch::nn::Sequential trunk_;
  torch::nn::Linear mean_, log_deviation_;
  Critics critics_, target_critics_;
  torch::Tensor log_temperature_;
  std::unique_ptr<torch::optim::Optimizer> actor_optimizer_, critic_optimizer_, temperature_optimizer_;
};
TORCH_MODULE(Sac);

/// PPO (https://arxiv.org/abs/1707.06347) with the sizes and numbers of CleanRL's ppo_continuous_action: one minibatch of 64.
class PpoImpl : public torch::nn::Module {
 public:
  explicit PpoImpl(c10::Device device, optimizers choice);

  GRAPHED(observations: f32[64, 17], actions: f32[64, 6], log_likelihoods: f32[64], advantages: f32[64], returns: f32[64],
          values: f32[64];
          step)
  torch::Tensor learn(const torch::Tensor& observations, const torch::Tensor& actions, const torch::Tensor& log_likelihoods,
                      const torch::Tensor& advantages, const torch::Tensor& returns, const torch::Tensor& values);

 private:
  const optimizers choice_;
  torch::nn::Sequential actor_, critic_;
  torch::Tensor log_deviation_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
};
TORCH_MODULE(Ppo);

/// A neural potential learns from energies and forces: the loss of the forces, which are a gradient, is differentiated once more. The sizes
/// are those of samples/potential.
class ForceMatchingImpl : public torch::nn::Module {
 public:
  explicit ForceMatchingImpl(c10::Device device, optimizers choice);

  GRAPHED(positions: f32[32, 13, 3], energies: f32[32], forces: f32[32, 13, 3]; step)
  torch::Tensor learn(const torch::Tensor& positions, const torch::Tensor& energies, const torch::Tensor& forces);

 private:
  torch::Tensor energies_of(const torch::Tensor& positions);

  torch::nn::Sequential layers_;
  torch::Tensor itself_, distances_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
};
TORCH_MODULE(ForceMatching);

}  // namespace benchmarks
