// SPDX-License-Identifier: Apache-2.0
#include "slot.h"

#include "function_state.h"
#include "staging.h"

#include <algorithm>
#include <thread>

namespace graphed {

using torch::autograd::Edge;

slot::slot(const callable_spec& spec, backend& backend, c10::Device device, std::shared_ptr<ledger> ledger)
    : spec_(spec), backend_(backend), device_(device), ledger_(std::move(ledger)) {}

slot::~slot() {
  ledger_->update([&](statistics& stats) { stats.bytes_held -= bytes_held_; });
}

std::vector<at::Tensor> slot::closure_tensors() const {
  std::vector<at::Tensor> tensors;
  for (const auto& member : closure_.members()) {
    tensors.push_back(member.tensor);
  }
  return tensors;
}

bool slot::reserve() {
  if (reserved_.exchange(true)) {
    return false;
  }
  const auto caller = std::this_thread::get_id();
  if (caller != user_ && shows_results()) {
    reserved_ = false;
    return false;
  }
  user_ = caller;
  return true;
}

bool slot::shows_results() const {
  return results_.alive() || std::any_of(variants_.begin(), variants_.end(),
                                         [](const auto& variant) { return variant.second && variant.second->results.alive(); });
}

void slot::stage(const inputs& inputs) {
  if (recorded_now_) {
    return;
  }
  backend_.begin_use(device_);
  keep_results(/*forward_too=*/true);
  uint64_t bytes = 0;
  for (std::size_t i = 0; i < static_inputs_.size(); ++i) {
    bytes += copy_value(static_inputs_[i], inputs.tensors()[i]);
  }
  ledger_->update([&](statistics& stats) { stats.bytes_staged += bytes; });
}

void slot::replay() {
  if (!recorded_now_) {
    work_->replay();
  }
  recorded_now_ = false;
  ledger_->update([](statistics& stats) { ++stats.replays; });
}

void slot::keep_results(bool forward_too) {
  std::size_t moved = forward_too ? results_.keep(backend_) : 0;
  for (auto& [key, variant] : variants_) {
    moved += variant->results.keep(backend_);
  }
  if (moved != 0) {
    ledger_->update([&](statistics& stats) { stats.kept_outputs += moved; });
  }
}

tensor_list slot::outputs(const inputs& inputs, const std::shared_ptr<function>& node) {
  write_back(inputs);
  for (auto& member : closure_.members()) {
    if (member.written && !member.tensor.is_inference()) {
      member.tensor.unsafeGetTensorImpl()->bump_version();
    }
  }
  if (node) {
    connect_arguments(inputs, node);
  }
  const auto outside = closure_tensors();
  tensor_list results =
      spec_.outputs == output_policy::keep ? results_.hand_out(inputs.tensors(), outside) : results_.alias(inputs.tensors(), outside);
  if (spec_.outputs == output_policy::clone) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      const result_plan& plan = results_.plans()[i];
      if (plan.from == result_plan::source::memory) {
        results[i] = results[i].clone();
      }
      if (plan.from == result_plan::source::same) {
        results[i] = results[plan.index];
      }
    }
  }
  backend_.end_use(device_);
  if (node) {
    connect_results(results, node);
    remember_versions(inputs, results, *node);
    node->state_->served_by = shared_from_this();
  }
  return results;
}

void slot::write_back(const inputs& inputs) {
  for (std::size_t i = 0; i < static_inputs_.size(); ++i) {
    if (!spec_.tensors[i].inplace) {
      continue;
    }
    const at::Tensor& argument = inputs.tensors()[i];
    copy_value(argument, static_inputs_[i]);
    if (!argument.is_inference()) {
      argument.unsafeGetTensorImpl()->bump_version();
    }
  }
}

// Makes `node` the history of what it changed, between that and what it depends on.
void slot::connect_arguments(const inputs& inputs, const std::shared_ptr<function>& node) {
  torch::autograd::edge_list edges;
  edges.reserve(targets_.size());
  for (const auto& target : targets_) {
    edges.push_back(
        torch::autograd::impl::gradient_edge(target.is_input ? inputs.tensors()[target.index] : closure_.members()[target.index].tensor));
  }
  node->set_next_edges(std::move(edges));
  for (const auto& output : node_outputs_) {
    if (!output.is_input) {
      continue;
    }
    const at::Tensor& argument = inputs.tensors()[output.index];
    torch::autograd::impl::rebase_history(argument, Edge(node, node->add_input_metadata(argument)));
  }
}

void slot::connect_results(const tensor_list& results, const std::shared_ptr<function>& node) {
  for (const auto& output : node_outputs_) {
    if (output.is_input) {
      continue;
    }
    const at::Tensor& result = results[output.index];
    torch::autograd::impl::set_gradient_edge(result, Edge(node, node->add_input_metadata(result)));
  }
}

void slot::update_bytes_held() {
  uint64_t held = pool_->bytes();
  if (backend_.capture_executes()) {
    for (const auto& input : static_inputs_) {
      held += input.nbytes();
    }
  }
  ledger_->update([&](statistics& stats) { stats.bytes_held += held - bytes_held_; });
  bytes_held_ = held;
}

}  // namespace graphed
