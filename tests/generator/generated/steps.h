// SPDX-License-Identifier: Apache-2.0
//
// Whole training steps: of a function on tensors in a namespace, and of a method of a class that is not a module.
#pragma once

#include <graphed/annotate.h>

#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>
#include <torch/types.h>

namespace steps {

using at::Tensor;

/// The weight that `learn` trains.
Tensor& weight();

GRAPHED(x: f32[4, 3], y: f32[4]; step)
Tensor learn(const Tensor& x, const Tensor& y);

struct Trainer {
  Trainer() : optimizer(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9)) {}

  GRAPHED(x: f32[4, 3], y: f32[4, 2]; step, strict, warmup = 2)
  Tensor train(const Tensor& x, const Tensor& y);

  torch::nn::Linear net{3, 2};
  torch::optim::SGD optimizer;
};

GRAPHED(x: f32[4, 3] grad)
Tensor energy(const Tensor& x);

/// A step whose loss is of the energy's gradient.
GRAPHED(x: f32[4, 3], forces: f32[4, 3]; step)
Tensor learn_forces(const Tensor& x, const Tensor& forces);

}  // namespace steps
