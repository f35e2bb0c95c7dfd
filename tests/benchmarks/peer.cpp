// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

#include "capture.h"

#include <ATen/core/grad_mode.h>
#include <graphed/backward_here.h>
#include <torch/autograd.h>
#include <torch/cuda.h>

#include <optional>
#include <stdexcept>
#include <utility>

namespace benchmarks {
namespace {

constexpr int warmups = 3;  // of PyTorch's documentation, and a graphed callable's
constexpr int attempts = 10;

void drop_gradients(const tensor_list& parameters) {
  for (const Tensor& parameter : parameters) {
    if (parameter.requires_grad()) {
      parameter.mutable_grad().reset();
    }
  }
}

tensor_list gradients_of(const tensor_list& parameters) {
  tensor_list gradients;
  for (const Tensor& parameter : parameters) {
    if (parameter.requires_grad()) {
      gradients.push_back(parameter.grad());
    }
  }
  return gradients;
}

tensor_list trained(const tensor_list& parameters) {
  tensor_list found;
  for (const Tensor& each : parameters) {
    if (each.requires_grad()) {
      found.push_back(each);
    }
  }
  return found;
}

Tensor run_unit(unit kind, const function& f, const tensor_list& inputs, const workload& workload) {
  if (kind != unit::training) {
    return f(inputs);
  }
  drop_gradients(workload.state);
  Tensor result = f(inputs);
  result.backward(workload.gradient);
  return result;
}

tensor_list clones(const tensor_list& tensors) {
  tensor_list copies;
  for (const Tensor& each : tensors) {
    copies.push_back(each.clone());
  }
  return copies;
}

c10::Device device_of(const workload& workload) { return workload.inputs.front().device(); }

class callable_peer : public peer {
 public:
  callable_peer(unit kind, const workload& workload, const function& f) : kind_(kind), workload_(workload), function_(f) {}

  int prepare() override {
    for (int i = 0; i < warmups; ++i) {
      callable_peer::run();
    }
    return warmups;
  }
  Tensor run() override { return run_unit(kind_, function_, workload_.inputs, workload_); }
  tensor_list gradients() const override { return kind_ == unit::training ? gradients_of(workload_.state) : tensor_list{}; }

 protected:
  const unit kind_;
  const workload& workload_;
  const function& function_;
};

class graphed_peer final : public callable_peer {
 public:
  graphed_peer(unit kind, const workload& workload, bool here) : callable_peer(kind, workload, workload.graphed), here_(here) {}

  int prepare() override {
    for (int units = 1; units <= attempts; ++units) {
      run();
      const auto stats = workload_.statistics();
      if (stats.replays >= workload_.callables && (kind_ != unit::training || stats.backward_replays > 0)) {
        return units;
      }
    }
    throw std::runtime_error("the graphed callable was not replayed in " + std::to_string(attempts) + " calls");
  }
  Tensor run() override {
    std::optional<graphed::BackwardHere> here;
    if (here_) {
      here.emplace();
    }
    return callable_peer::run();
  }

 private:
  const bool here_;
};

/// What hand-written graphs share: warm-ups of the plain callable on static inputs.
class static_peer : public peer {
 public:
  static_peer(unit kind, const workload& workload) : kind_(kind), workload_(workload), statics_(clones(workload.inputs)) {}

  int prepare() override {
    for (int i = 0; i < warmups; ++i) {
      run_unit(kind_, workload_.plain, statics_, workload_);
    }
    if (device_of(workload_).is_cuda()) {
      torch::cuda::synchronize();
    }
    drop_gradients(workload_.state);
    capture();
    return warmups + run_once();
  }

 protected:
  virtual void capture() = 0;
  /// Replays once where the capture has not done so.
  virtual int run_once() {
    run();
    return 1;
  }

  const unit kind_;
  const workload& workload_;
  const tensor_list statics_;
  Tensor result_;
  tensor_list gradients_;
  procedure replay_;
};

class handwritten_peer final : public static_peer {
 public:
  using static_peer::static_peer;

  Tensor run() override {
    for (std::size_t i = 0; i < statics_.size(); ++i) {
      statics_[i].copy_(workload_.inputs[i]);
    }
    replay_();
    return result_;
  }
  tensor_list gradients() const override { return gradients_; }

 private:
  void capture() override {
    replay_ = capture_by_hand(device_of(workload_), [this] { result_ = run_unit(kind_, workload_.plain, statics_, workload_).detach(); });
    if (kind_ == unit::training) {
      gradients_ = gradients_of(workload_.state);
    }
  }
};

/// The forward's and the backward's graphs, as a graphed callable has them, and nothing around them.
class launch_peer final : public static_peer {
 public:
  using capturer = procedure (*)(c10::Device, const std::vector<procedure>&);
  launch_peer(unit kind, const workload& workload, capturer capture) : static_peer(kind, workload), capture_(capture) {}

  Tensor run() override {
    replay_();
    return result_;
  }
  tensor_list gradients() const override { return gradients_; }

 private:
  void capture() override {
    Tensor result;
    std::vector<procedure> bodies{[&] { result = workload_.plain(statics_); }};
    if (kind_ == unit::training) {
      bodies.push_back([&] { gradients_ = torch::autograd::grad({result}, trained(workload_.state), {workload_.gradient}); });
    }
    replay_ = capture_(device_of(workload_), bodies);
    result_ = result.detach();
  }
  int run_once() override { return 1; }

  const capturer capture_;
};

}  // namespace

std::vector<std::string> peers_of(const entry& entry, c10::Device device) {
  std::vector<std::string> names{"plain"};
  if (entry.optimizes) {
    names.push_back("libtorch");
  }
  names.insert(names.end(), {"handwritten", "launch"});
  if (device.is_cuda()) {
    names.push_back("without-memsets");
  }
  names.push_back("graphed");
  if (entry.kind == unit::training) {
    names.push_back("graphed-here");
  }
  return names;
}

optimizers optimizers_of(const std::string& peer) { return peer == "libtorch" ? optimizers::libtorch : optimizers::graphed; }

std::unique_ptr<peer> make_peer(const std::string& name, unit kind, const workload& workload) {
  if (name == "plain" || name == "libtorch") {
    return std::make_unique<callable_peer>(kind, workload, workload.plain);
  }
  if (name == "handwritten") {
    return std::make_unique<handwritten_peer>(kind, workload);
  }
  if (name == "launch") {
    return std::make_unique<launch_peer>(kind, workload, capture_bare);
  }
  if (name == "without-memsets") {
    return std::make_unique<launch_peer>(kind, workload, capture_without_memsets);
  }
  if (name == "graphed" || name == "graphed-here") {
    return std::make_unique<graphed_peer>(kind, workload, name == "graphed-here");
  }
  throw std::invalid_argument("benchmarks: there is no peer '" + name + "'");
}

}  // namespace benchmarks
