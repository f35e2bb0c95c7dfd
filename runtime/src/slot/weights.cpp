// SPDX-License-Identifier: Apache-2.0
//
// Delayed gradients of what a callable closes over.
#include "slot/function_state.h"
#include "slot/slot.h"
#include "torch/autograd_scope.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/engine.h>

#include <algorithm>
#include <utility>

namespace graphed {
namespace {

std::atomic<uint64_t> turns{0};

}  // namespace

// The first part of a backward, which leaves for the second what that begins with.
tensor_list slot::begin_backward(backward_variant& variant) {
  torch::autograd::edge_list roots;
  torch::autograd::edge_list inputs;
  torch::autograd::edge_list weights;
  tensor_list incoming;
  for (std::size_t i = 0; i < node_outputs_.size(); ++i) {
    if (variant.static_gradients[i].defined()) {
      roots.push_back(node_outputs_[i].inner);
      incoming.push_back(variant.static_gradients[i]);
    }
  }
  for (const auto& target : targets_) {
    (target.is_input ? inputs : weights).push_back(target.inner);
  }
  const isolated_closure alone(closure_, captured_on_);
  variant.split = std::make_unique<weight_split>(roots, inputs, weights);
  auto pass = variant.split->begin(incoming);
  variant.weights = std::make_unique<backward_variant>();
  variant.weights->static_gradients = std::move(pass.parted);
  const auto& kept = variant.weights->static_gradients;
  tensor_list results;
  for (std::size_t i = 0, input = 0; i < targets_.size(); ++i) {
    at::Tensor gradient = targets_[i].is_input ? pass.inputs[input++] : at::Tensor();
    // The caller may change a gradient that is his before the second part reads it.
    const bool is_shared = gradient.defined() && std::any_of(kept.begin(), kept.end(), [&](const at::Tensor& parted) {
                             return parted.defined() && parted.is_alias_of(gradient);
                           });
    results.push_back(is_shared ? gradient.clone() : gradient);
  }
  return results;
}

void slot::capture_weights(backward_variant& variant) {
  backward_variant& weights = *variant.weights;
  const auto seen = backend_.make_recording(/*host_tensors_allowed=*/true, branches());
  for (const auto& gradient : weights.static_gradients) {
    if (gradient.defined()) {
      seen->add_input(gradient, "gradient", /*writable=*/true);
    }
  }
  variant.work->pin(weights.static_gradients);
  tensor_list gradients;
  weights.work = capture_into_pool("weights", seen, [&](open_capture& capture) {
    capture.begin_with({});
    const recording_scope scope(*seen);
    const isolated_closure alone(closure_, captured_on_);
    gradients = variant.split->resume(weights.static_gradients);
  });
  tensor_list results;
  for (std::size_t i = 0, weight = 0; i < targets_.size(); ++i) {
    results.push_back(targets_[i].is_input ? at::Tensor() : gradients[weight++]);
  }
  const c10::AutoGradMode no_history(false);
  weights.results.plan(results, {}, closure_.captured_tensors(), pool_->number());
  weights.work->pin(weights.static_gradients);
  weights.work->pin(weights.results.captured_memory());
  weights.recorded_now = backend_.capture_executes();
  weights.needed = seen->used_storages();
}

void slot::wait_for_weights(backward_variant& variant, const function& node) {
  ++holders_;
  slot_lease own(std::shared_ptr<slot>(std::shared_ptr<void>(), this));  // it must not keep itself alive
  waiting_.emplace(waiting_weights{&variant, node.state_->saved, node.state_->details, std::move(own)});
  waits_since_ = ++turns;
}

bool slot::backward_weights() {
  tensor_list gradients;
  {
    const auto alone = lock_backward();
    if (!waiting_) {
      return false;
    }
    const waiting_weights waiting = std::move(*waiting_);
    waiting_.reset();
    waits_since_ = 0;
    check_versions(waiting.saved, waiting.variant->weights.get());
    gradients = replay_weights(waiting);
  }
  accumulate(gradients);
  return true;
}

tensor_list slot::replay_weights(const waiting_weights& waiting) {
  backward_variant& weights = *waiting.variant->weights;
  if (!weights.recorded_now) {
    backend_.begin_use(device_);
    if (waiting.details->copied.outputs) {
      keep_results(weights.work->number());
    }
    weights.work->replay();
  }
  weights.recorded_now = false;
  ledger_->update([](statistics& stats) { ++stats.weight_replays; });
  tensor_list gradients = handed_out(weights, {}, *waiting.details);
  bool is_cloned = false;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].defined() && has_hooks(closure_.members()[targets_[i].index].tensor)) {
      gradients[i] = gradients[i].clone();
      is_cloned = true;
    }
  }
  if (is_cloned) {
    backend_.end_use(device_);
  }
  return gradients;
}

// As a backward's end does, hooks included.
void slot::accumulate(const tensor_list& gradients) const {
  torch::autograd::edge_list roots;
  tensor_list values;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (targets_[i].is_input || !gradients[i].defined()) {
      continue;
    }
    const at::Tensor& weight = closure_.members()[targets_[i].index].tensor;
    if (weight.requires_grad()) {
      roots.push_back(torch::autograd::impl::gradient_edge(weight));
      values.push_back(gradients[i]);
    }
  }
  if (!roots.empty()) {
    torch::autograd::Engine::get_default_engine().execute(roots, values, /*keep_graph=*/false, /*create_graph=*/false,
                                                          /*accumulate_grad=*/true);
  }
}

}  // namespace graphed
