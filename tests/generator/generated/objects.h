// SPDX-License-Identifier: Apache-2.0
//
// Methods of objects that are not modules, and that hold modules, tensors and numbers in every way.
#pragma once

#include <graphed/annotate.h>

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/optim/sgd.h>
#include <torch/types.h>

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace objects {

using at::Tensor;

/// Gives other results in train and eval mode, and with another weight.
struct NetImpl : torch::nn::Module {
  explicit NetImpl(double value = 2) : weight(register_parameter("weight", at::full({3}, value))) {}
  Tensor forward(const Tensor& x) const { return is_training() ? x * weight + 1 : x * weight; }

  Tensor weight;
};
TORCH_MODULE(Net);

struct ByReference {
  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x) { return model.forward(x); }

  NetImpl& model;
};

/// A whole training step.
struct Trainer {
  GRAPHED(x: f32[4, 3]; step)
  Tensor learn(const Tensor& x) {
    optimizer.zero_grad();
    const Tensor loss = model.forward(x).square().mean() * weight;
    loss.backward();
    optimizer.step();  // graphgen: allow(graphed-torch-optim)
    return loss.detach();
  }

  NetImpl& model;
  torch::optim::SGD& optimizer;
  double weight = 1;
};

struct ByPointer {
  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x);

  NetImpl* model;
  const NetImpl* spare = nullptr;
};

struct ByHolder {
  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x) { return model->forward(x); }

  Net model{2.0};
};

struct BySharedPointer {
  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x) const { return model->forward(x); }

  std::shared_ptr<NetImpl> model;
};

/// As most classes are written.
class Private {
 public:
  explicit Private(NetImpl& model, Net other) : model_(model), other_(std::move(other)) {}

  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x);

  void scale_by(double factor) { settings_.factor = factor; }
  NetImpl& other() { return *other_; }

 private:
  struct Settings {
    double factor = 1;
  };

  NetImpl& model_;
  Net other_;
  Settings settings_;
};

struct Actor {
  Net net{2.0};
  double gain = 1;
};

struct InContainers {
  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x);

  std::vector<Net> list;
  std::array<Net, 2> pair_of_nets{Net(2.0), Net(3.0)};
  std::optional<Net> perhaps;
  std::map<std::string, Net> by_name;
  std::pair<Net, Tensor> with_tensor{Net(2.0), at::ones({3})};
  std::unique_ptr<NetImpl> owned = std::make_unique<NetImpl>(2.0);
  std::reference_wrapper<NetImpl> wrapped = *owned;
  std::vector<Actor> actors;
  std::shared_ptr<Actor> shared_actor;
  NetImpl* plain_array[2] = {};
};

/// Of a class with a base, whose members count as its own.
struct Base {
  Net inherited{2.0};
  int64_t shift = 0;
};

struct Derived : Base {
  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x) { return inherited->forward(x) + shift; }
};

struct Tensors {
  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x) { return x * target + list[0] + (offset ? *offset : x) + referred; }

  Tensor target = at::ones({3});
  std::vector<Tensor> list{at::ones({3})};
  std::optional<Tensor> offset;
  const Tensor& referred;
};

/// Assigns a member of its own, which is not a reason for another capture.
struct Assigning {
  GRAPHED(x: f32[4, 3]; allow = graphed-rebound, allow = graphed-host-state)
  Tensor run(const Tensor& x);

  Tensor last;
  int64_t calls = 0;
  double factor = 2;
};

/// Reads what it left in its own member.
struct Recurrent {
  GRAPHED(x: f32[4, 3]; warmup = 1, allow = graphed-rebound, allow = graphed-host-state)
  Tensor run(const Tensor& x);

  Tensor hidden = at::zeros({4, 3});
};

/// Fills a cache, which is not a reason for another capture either.
struct Caching {
  GRAPHED(x: f32[4, 3], power: key)
  Tensor run(const Tensor& x, int64_t power) {
    const auto [found, is_new] = cache.try_emplace(power);
    if (is_new) {
      found->second = at::full({3}, 2.0).pow(power);
    }
    return x * found->second;
  }

  std::map<int64_t, Tensor> cache;
};

enum class Mode { add, multiply };

struct Config {
  double temperature = 1;
  int64_t count = 2;
};

struct Numbers {
  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x) {
    Tensor y = mode == Mode::add ? x + scale : x * scale;
    y = is_negative ? -y : y;
    y = y * config.temperature + static_cast<double>(limits[1]);
    return name == "twice" ? y + y : shifted(y);
  }
  Tensor shifted(const Tensor& y) const { return y + shift + (perhaps ? *perhaps : 0.5) + atomic.load() + static_cast<int>(bits); }

  Mode mode = Mode::add;
  float scale = 2;
  bool is_negative = false;
  Config config;
  std::array<int, 2> limits{1, 2};
  std::string name = "once";
  int8_t shift = 3;
  std::optional<double> perhaps;
  std::atomic<int> atomic{1};
  unsigned bits : 3;
  int64_t episode = 0;  // no body reads it
  const double fixed = 1;
};

/// What its body reads is not seen by who reads this header.
struct Elsewhere {
  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x);

  double factor = 2;
  Config config;
  std::vector<Tensor> replay;  // grows
};

template <class T>
struct Generic {
  GRAPHED(x: f32[4, 3])
  Tensor run(const Tensor& x) { return x * static_cast<double>(factor); }

  T factor = 2;
};
extern template struct Generic<float>;
extern template struct Generic<int>;

}  // namespace objects
