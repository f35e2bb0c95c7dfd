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

Tensor run_unit(unit kind, const function& f, const batch& batch, const workload& workload) {
  if (kind != unit::training) {
    return f(batch.inputs);
  }
  drop_gradients(workload.state);
  Tensor result = f(batch.inputs);
  result.backward(batch.gradient);
  return result;
}

batch clone(const batch& original) {
  batch copy;
  for (const Tensor& each : original.inputs) {
    copy.inputs.push_back(each.clone());
  }
  if (original.gradient.defined()) {
    copy.gradient = original.gradient.clone();
  }
  return copy;
}

void copy_to(const batch& to, const batch& from) {
  for (std::size_t i = 0; i < to.inputs.size(); ++i) {
    to.inputs[i].copy_(from.inputs[i]);
  }
  if (to.gradient.defined()) {
    to.gradient.copy_(from.gradient);
  }
}

/// The batches of a workload, in turn.
class turns {
 public:
  explicit turns(const batch_pair& all) : all_(all) {}

  const batch& next() { return all_[count_++ % all_.size()]; }

 private:
  const batch_pair& all_;
  std::size_t count_ = 0;
};

class callable_peer : public peer {
 public:
  callable_peer(unit kind, const workload& workload, const std::vector<function>& callables)
      : kind_(kind), workload_(workload), callables_(callables), turns_(workload.batches) {}

  int prepare() override {
    for (int i = 0; i < warmups; ++i) {
      callable_peer::run();
    }
    return warmups;
  }
  Tensor run() override {
    const batch& next = turns_.next();
    Tensor result;
    for (const function& each : callables_) {
      result = run_unit(kind_, each, next, workload_);
    }
    return result;
  }
  tensor_list gradients() const override { return kind_ == unit::training ? gradients_of(workload_.state) : tensor_list{}; }

 protected:
  const unit kind_;
  const workload& workload_;

 private:
  const std::vector<function>& callables_;
  turns turns_;
};

class graphed_peer final : public callable_peer {
 public:
  graphed_peer(unit kind, const workload& workload, bool here) : callable_peer(kind, workload, workload.graphed), here_(here) {}

  int prepare() override {
    for (int units = 1; units <= attempts; ++units) {
      run();
      const auto stats = workload_.statistics();
      if (stats.replays >= workload_.graphed.size() && (kind_ != unit::training || stats.backward_replays > 0)) {
        return units;
      }
    }
    throw std::runtime_error("the graphed callable was not replayed in " + std::to_string(attempts) + " calls");
  }
  Tensor run() override {
    std::optional<graphed::BackwardHereGuard> here;
    if (here_) {
      here.emplace();
    }
    return callable_peer::run();
  }

 private:
  const bool here_;
};

/// What graphs without a graphed callable share: each of the program's callables has its static inputs, and warm-ups on them.
class static_peer : public peer {
 public:
  static_peer(unit kind, const workload& workload, const std::vector<function>& callables)
      : kind_(kind), workload_(workload), callables_(callables), results_(callables.size()), turns_(workload.batches) {
    for (std::size_t i = 0; i < callables.size(); ++i) {
      statics_.push_back(clone(workload.batches.front()));
    }
  }

  int prepare() override {
    for (int i = 0; i < warmups; ++i) {
      copy_next();
      for (std::size_t each = 0; each < callables_.size(); ++each) {
        run_unit(kind_, callables_[each], statics_[each], workload_);
      }
    }
    if (device().is_cuda()) {
      torch::cuda::synchronize();
    }
    drop_gradients(workload_.state);
    capture_and_replay();
    return warmups + 1;
  }
  tensor_list gradients() const override { return gradients_; }

 protected:
  /// The replay is a unit of the next batch.
  virtual void capture_and_replay() = 0;

  c10::Device device() const { return workload_.batches.front().inputs.front().device(); }
  const batch& next() { return turns_.next(); }
  void copy_next() {
    const batch& from = next();
    for (const batch& to : statics_) {
      copy_to(to, from);
    }
  }

  const unit kind_;
  const workload& workload_;
  const std::vector<function>& callables_;
  std::vector<batch> statics_;
  tensor_list results_;
  tensor_list gradients_;

 private:
  turns turns_;
};

class handwritten_peer final : public static_peer {
 public:
  handwritten_peer(unit kind, const workload& workload)
      : static_peer(kind, workload, workload.by_hand.empty() ? workload.plain : workload.by_hand) {}

  Tensor run() override {
    const batch& from = next();
    for (std::size_t i = 0; i < replays_.size(); ++i) {
      copy_to(statics_[i], from);
      replays_[i]();
    }
    return results_.back();
  }

 private:
  void capture_and_replay() override {
    std::vector<procedure> bodies;
    for (std::size_t i = 0; i < callables_.size(); ++i) {
      bodies.push_back([this, i] { results_[i] = run_unit(kind_, callables_[i], statics_[i], workload_).detach(); });
    }
    replays_ = capture_by_hand(device(), bodies);
    if (kind_ == unit::training) {
      gradients_ = gradients_of(workload_.state);
    }
    run();
  }

  std::vector<procedure> replays_;
};

/// The forwards' and the backwards' graphs, as graphed callables have them, and nothing around them.
class launch_peer final : public static_peer {
 public:
  using static_peer::static_peer;

  Tensor run() override {
    replay_();
    return results_.back();
  }
  void stage() override { copy_next(); }

 private:
  void capture_and_replay() override {
    std::vector<procedure> bodies;
    for (std::size_t i = 0; i < callables_.size(); ++i) {
      bodies.push_back([this, i] { results_[i] = callables_[i](statics_[i].inputs); });
      if (kind_ == unit::training) {
        bodies.push_back(
            [this, i] { gradients_ = torch::autograd::grad({results_[i]}, trained(workload_.state), {statics_[i].gradient}); });
      }
    }
    copy_next();
    replay_ = capture_bare(device(), bodies);
    for (Tensor& each : results_) {
      each = each.detach();
    }
  }

  procedure replay_;
};

}  // namespace

std::vector<std::string> peers_of(const entry& entry) {
  std::vector<std::string> names{"plain", "graphed"};
  if (!entry.is_beyond_a_graph) {
    names.insert(names.begin() + 1, {"handwritten", "launch"});
  }
  if (entry.kind == unit::training) {
    names.push_back("graphed-here");
  }
  names.insert(names.end(), entry.further.begin(), entry.further.end());
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
    return std::make_unique<launch_peer>(kind, workload, workload.plain);
  }
  if (name == "without-memsets" && !workload.without_memsets.empty()) {
    return std::make_unique<launch_peer>(kind, workload, workload.without_memsets);
  }
  if (name == "loop-on-host" && !workload.loop_on_host.empty()) {
    return std::make_unique<callable_peer>(kind, workload, workload.loop_on_host);
  }
  if (name == "in-one-call" && !workload.in_one_call.empty()) {
    return std::make_unique<callable_peer>(kind, workload, workload.in_one_call);
  }
  if (name == "graphed" || name == "graphed-here") {
    return std::make_unique<graphed_peer>(kind, workload, name == "graphed-here");
  }
  throw std::invalid_argument("benchmarks: there is no peer '" + name + "' of this workload");
}

}  // namespace benchmarks
