// SPDX-License-Identifier: Apache-2.0
//
// Modules, optimizers and other objects as arguments, in every way that a parameter refers to one.
#pragma once

#include "objects.h"

#include <graphed/optim/sgd.h>
#include <graphed/scalar.h>

#include <torch/nn/modules/container/any.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>

#include <memory>
#include <utility>

namespace object_arguments {

using at::Tensor;
using objects::Net;
using objects::NetImpl;

GRAPHED(net: module, x: f32[4, 3])
Tensor by_reference(NetImpl& net, const Tensor& x);

GRAPHED(net: module, x: f32[4, 3] grad)
inline Tensor with_gradients(NetImpl& net, const Tensor& x) { return net.forward(x); }

GRAPHED(net: module, x: f32[4, 3])
inline Tensor by_constant(const NetImpl& net, const Tensor& x) { return net.forward(x); }

GRAPHED(x: f32[4, 3], net: module)
inline Tensor by_holder(const Tensor& x, Net net) { return net->forward(x); }

GRAPHED(net: module, x: f32[4, 3])
inline Tensor by_holder_reference(Net& net, const Tensor& x) { return net->forward(x); }

GRAPHED(net: module, x: f32[4, 3])
Tensor by_shared_pointer(const std::shared_ptr<NetImpl>& net, const Tensor& x);

GRAPHED(x: f32[4, 3], net: module)
inline Tensor by_pointer(const Tensor& x, NetImpl* net = nullptr) { return net ? net->forward(x) : x + 1; }

GRAPHED(net: module, x: f32[4, 3])
inline Tensor by_base(torch::nn::Module& net, const Tensor& x) { return net.as<NetImpl>()->forward(x); }

GRAPHED(layers: module, first: module, rest: module, x: f32[4, 3])
inline Tensor by_containers(torch::nn::Sequential layers, torch::nn::AnyModule& first, const torch::nn::ModuleList& rest, const Tensor& x) {
  Tensor y = layers->forward(first.forward(x));
  for (const auto& each : *rest) {
    y = each->as<torch::nn::Linear>()->forward(y);
  }
  return y;
}

/// One of two networks computes what the other one is to reach.
GRAPHED(student: module, teacher: module, opt: object, x: f32[4, 3], y: f32[4, 2]; step, warmup = 2)
Tensor train(torch::nn::Linear& student, torch::nn::Linear& teacher, graphed::optim::SGD& opt, const Tensor& x, const Tensor& y);

GRAPHED(net: module, opt: object, x: f32[4, 3]; step, warmup = 2)
Tensor train_with_any(NetImpl& net, torch::optim::Optimizer& opt, const Tensor& x);

struct Settings {
  double scale = 2;
  bool is_negative = false;
  int64_t unread = 0;
};

GRAPHED(settings: object, x: f32[4, 3])
inline Tensor with_settings(const Settings& settings, const Tensor& x) {
  const Tensor y = x * settings.scale;
  return settings.is_negative ? -y : y;
}

/// As most classes are written.
class Agent {
 public:
  explicit Agent(double value) : net_(value) {}

  Tensor act(const Tensor& x) const { return net_->forward(x) * settings_.scale + bias_; }

  NetImpl& net() { return *net_; }
  Settings& settings() { return settings_; }
  Tensor& bias() { return bias_; }

 private:
  Net net_;
  Settings settings_;
  Tensor bias_ = at::zeros({3});
};

GRAPHED(agent: object, x: f32[4, 3])
Tensor act(const Agent& agent, const Tensor& x);

GRAPHED(agent: object, x: f32[4, 3])
inline Tensor act_of(std::shared_ptr<Agent> agent, const Tensor& x) { return agent->act(x); }

struct Logger {
  int64_t calls = 0;
};

GRAPHED(logger: object, net: module, x: f32[4, 3]; allow = graphed-host-state)
inline Tensor logged(Logger* logger, NetImpl& net, const Tensor& x) {
  if (logger) {
    ++logger->calls;
  }
  return net.forward(x);
}

struct Batch {
  Tensor obs;
  double scale = 1;
};

/// Beside an aggregate, a `live` scalar and rows of padding.
GRAPHED(net: module, batch: {obs: f32[B, 3], scale: key}, shift: live; B in {4, 8} pad)
Tensor of_batch(NetImpl& net, const Batch& batch, const graphed::Scalar& shift);

/// A method of an object that is given another.
struct Critic {
  GRAPHED(actor: object, x: f32[4, 3])
  Tensor judge(const Agent& actor, const Tensor& x) const { return actor.act(x) * weight; }

  double weight = 2;
};

}  // namespace object_arguments
