// SPDX-License-Identifier: Apache-2.0
//
// An agent of deep deterministic policy gradients (https://arxiv.org/abs/1509.02971), whose bodies are a source of their own.
#pragma once

#include <graphed/optim/sgd.h>

#include <torch/nn.h>

#include <cstdint>

namespace explorer {

constexpr int64_t kRows = 2, kSeen = 4;

/// An Ornstein-Uhlenbeck process: each sample is made of the last one.
struct Noise {
  at::Tensor sample();

  at::Tensor state;
  bool is_written_in_place = false;
};

struct Agent {
  explicit Agent(const at::TensorOptions& options);

  at::Tensor act(const at::Tensor& x);
  at::Tensor learn(const at::Tensor& x);

  torch::nn::Linear policy{kSeen, kSeen};
  Noise noise;
  graphed::optim::SGD optimizer;
};

/// What a method of a part remembers: the part is a module that the object holds, and has not registered the tensor.
struct DreamImpl : torch::nn::Module {
  DreamImpl() : cell(register_module("cell", torch::nn::Linear(kSeen, kSeen))) {}
  at::Tensor forward(const at::Tensor& x);

  torch::nn::Linear cell;

 private:
  at::Tensor hidden_ = torch::zeros({kRows, kSeen});

 public:
  const at::Tensor& hidden() const { return hidden_; }
  void begin(const at::Tensor& hidden) { hidden_ = hidden; }
};
TORCH_MODULE(Dream);

}  // namespace explorer
