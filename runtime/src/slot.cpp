// SPDX-License-Identifier: Apache-2.0
#include "slot.h"

#include "function_state.h"
#include "staging.h"

#include <graphed/error.h>

#include <ATen/SequenceNumber.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/GradMode.h>
#include <c10/util/strides.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <unordered_set>

namespace graphed {

using torch::autograd::AccumulateGrad;
using torch::autograd::Edge;
using torch::autograd::Node;

/// How many hold each member of the closure, to see afterwards whether the captured graph does.
class slot::use_counts {
 public:
  explicit use_counts(const closure& members) {
    for (const auto& member : members.members()) counts_.push_back(member.tensor.use_count());
  }
  /// By more than `expected`. A tensor that was not known before counts as grown.
  bool grew(std::size_t index, const at::Tensor& tensor, std::size_t expected) const {
    return index >= counts_.size() || tensor.use_count() > counts_[index] + expected;
  }

 private:
  std::vector<std::size_t> counts_;
};

slot::slot(const callable_spec& spec, backend& backend, c10::Device device, std::shared_ptr<ledger> ledger)
    : spec_(spec), backend_(backend), device_(device), ledger_(std::move(ledger)) {}

slot::~slot() {
  ledger_->update([&](statistics& stats) { stats.bytes_held -= bytes_held_; });
}

void slot::capture(const inputs& inputs, const std::vector<at::Tensor>& known, c10::function_ref<tensor_list(tensor_list&)> body,
                   std::shared_ptr<recording>& seen) {
  const auto start = std::chrono::steady_clock::now();
  pool_ = backend_.make_pool(device_);
  for (const auto& tensor : known) closure_.add(tensor);
  seen = backend_.make_recording(/*host_tensors_allowed=*/device_.is_cpu());
  const use_counts before(closure_);
  work_ = backend_.capture(device_, *pool_, seen, [&] {
    make_static_inputs(inputs);
    if (backend_.capture_executes()) stage(inputs);
    const uint64_t first_node = at::sequence_number::peek();
    adopt(run(body, *seen), *seen, before, first_node);
  });
  recorded_now_ = backend_.capture_executes();
  work_->pin(static_inputs_);
  work_->pin(results_.captured_memory());
  const auto elapsed = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start);
  ledger_->update([&](statistics& stats) {
    ++stats.captures;
    stats.capture_microseconds += elapsed.count();
  });
  update_bytes_held();
}

void slot::make_static_inputs(const inputs& inputs) {
  for (std::size_t i = 0; i < spec_.tensors.size(); ++i) {
    const auto& tensor = spec_.tensors[i];
    static_inputs_.push_back(make_static(tensor.shape, c10::contiguous_strides(tensor.shape), tensor.dtype, device_));
    const bool requires_grad = c10::GradMode::is_enabled() ? tensor.grad : inputs.tensors()[i].requires_grad();
    static_inputs_.back().set_requires_grad(requires_grad);
  }
}

tensor_list slot::run(c10::function_ref<tensor_list(tensor_list&)> body, recording& seen) {
  for (std::size_t i = 0; i < static_inputs_.size(); ++i) {
    seen.add_input(static_inputs_[i], spec_.tensors[i].name, spec_.tensors[i].inplace);
  }
  const bool autocast = at::autocast::is_autocast_enabled(device_.type());
  if (autocast) at::autocast::clear_cache();
  tensor_list arguments = static_inputs_;
  tensor_list results;
  {
    const private_autograd_state hidden(closure_);
    const recording_scope scope(seen);
    results = body(arguments);
  }
  if (autocast) at::autocast::clear_cache();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].is_same(static_inputs_[i])) {
      throw capture_error(std::string("the callable assigns another tensor to its argument '") + spec_.tensors[i].name + "'");
    }
  }
  return results;
}

// Reads the captured forward: what it closes over, where its results lie, where gradients go.
void slot::adopt(const tensor_list& results, const recording& seen, const use_counts& before, uint64_t first_node) {
  check_known(seen);
  for (const auto& outside : seen.outside_tensors()) {
    closure_.add(outside.tensor);
    closure_member& member = *closure_.find(outside.tensor.unsafeGetTensorImpl());
    member.used = true;
    member.written |= outside.written;
  }
  closure_.pin();
  note_saved(results, before);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const at::Tensor& result = results[i];
    if (!result.defined() || !result.requires_grad()) continue;
    const bool saved = result.use_count() > 1 || !result.unsafeGetTensorImpl()->version_counter().unique();
    node_outputs_.push_back({false, i, torch::autograd::impl::gradient_edge(result), saved});
  }
  results_.plan(results, static_inputs_, closure_tensors());
  node_outputs_.erase(std::remove_if(node_outputs_.begin(), node_outputs_.end(),
                                     [&](const node_output& output) { return !results_.plans()[output.index].differentiable; }),
                      node_outputs_.end());
  for (std::size_t i = 0; i < static_inputs_.size(); ++i) {
    if (spec_.tensors[i].inplace && !static_inputs_[i].is_leaf()) {
      node_outputs_.push_back({true, i, torch::autograd::impl::gradient_edge(static_inputs_[i]), false});
    }
  }
  find_targets(first_node);
}

// Autograd's state of a tensor must be set aside before a capture sees it.
void slot::check_known(const recording& seen) {
  std::vector<at::Tensor> unseen;
  for (const auto& tensor : seen.held_outside()) {
    if (closure_.find(tensor.unsafeGetTensorImpl()) == nullptr) unseen.push_back(tensor);
  }
  if (!unseen.empty()) throw unseen_tensors{std::move(unseen)};
}

void slot::note_saved(const tensor_list& results, const use_counts& before) {
  for (const auto& input : static_inputs_) {
    const std::size_t returned = static_cast<std::size_t>(
        std::count_if(results.begin(), results.end(), [&](const at::Tensor& result) { return result.is_same(input); }));
    const bool has_accumulator = input.is_leaf() && torch::autograd::impl::try_get_grad_accumulator(input) != nullptr;
    input_saved_.push_back(input.use_count() > 1 + returned + (has_accumulator ? 1 : 0) ||
                           !input.unsafeGetTensorImpl()->version_counter().unique());
  }
  auto& members = closure_.members();
  for (std::size_t i = 0; i < members.size(); ++i) {
    // Since `before`, the recording holds what was used, and the capture's own accumulator its tensor.
    const std::size_t expected = (members[i].used ? 1u : 0u) + (members[i].accumulator != nullptr ? 1u : 0u);
    members[i].saved = before.grew(i, members[i].tensor, expected) || !members[i].version.unique();
  }
}

// Follows the captured graph from the results down to the tensors whose gradients it computes.
void slot::find_targets(uint64_t first_node) {
  std::vector<Edge> inputs(static_inputs_.size());
  std::vector<Edge> members(closure_.members().size());
  std::unordered_set<const Node*> visited;
  std::vector<Node*> pending;
  const auto visit = [&](const Edge& edge) {
    if (!edge.function || !visited.insert(edge.function.get()).second) return;
    const auto* leaf = dynamic_cast<AccumulateGrad*>(edge.function.get());
    if (leaf == nullptr) {
      if (edge.function->sequence_nr() < first_node) {
        throw capture_error("the callable uses a tensor from outside that has a history (" + edge.function->name() +
                            "): pass it as an argument");
      }
      pending.push_back(edge.function.get());
      return;
    }
    for (std::size_t i = 0; i < static_inputs_.size(); ++i) {
      if (static_inputs_[i].is_same(leaf->variable)) inputs[i] = edge;
    }
    if (const auto* member = closure_.find(leaf->variable.unsafeGetTensorImpl())) {
      members[static_cast<std::size_t>(member - closure_.members().data())] = edge;
    }
  };
  for (const auto& output : node_outputs_) visit(output.inner);
  while (!pending.empty()) {
    const Node* node = pending.back();
    pending.pop_back();
    for (const Edge& edge : node->next_edges()) visit(edge);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_valid()) targets_.push_back({true, i, inputs[i]});
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].is_valid()) targets_.push_back({false, i, members[i]});
  }
}

std::vector<at::Tensor> slot::closure_tensors() const {
  std::vector<at::Tensor> tensors;
  for (const auto& member : closure_.members()) tensors.push_back(member.tensor);
  return tensors;
}

bool slot::reserve() {
  if (reserved_.exchange(true)) return false;
  const auto caller = std::this_thread::get_id();
  if (caller != user_ && shows_results()) {
    reserved_ = false;
    return false;
  }
  user_ = caller;
  return true;
}

bool slot::shows_results() const {
  return results_.alive() || std::any_of(variants_.begin(), variants_.end(), [](const auto& variant) {
           return variant.second && variant.second->results.alive();
         });
}

void slot::stage(const inputs& inputs) {
  if (recorded_now_) return;
  backend_.begin_use(device_);
  keep_results(/*forward_too=*/true);
  uint64_t bytes = 0;
  for (std::size_t i = 0; i < static_inputs_.size(); ++i) bytes += copy_value(static_inputs_[i], inputs.tensors()[i]);
  ledger_->update([&](statistics& stats) { stats.bytes_staged += bytes; });
}

void slot::replay() {
  if (!recorded_now_) work_->replay();
  recorded_now_ = false;
  ledger_->update([](statistics& stats) { ++stats.replays; });
}

void slot::keep_results(bool forward_too) {
  std::size_t moved = forward_too ? results_.keep(backend_) : 0;
  for (auto& [key, variant] : variants_) moved += variant->results.keep(backend_);
  if (moved != 0) ledger_->update([&](statistics& stats) { stats.kept_outputs += moved; });
}

tensor_list slot::outputs(const inputs& inputs, const std::shared_ptr<function>& node) {
  write_back(inputs);
  for (auto& member : closure_.members()) {
    if (member.written && !member.tensor.is_inference()) member.tensor.unsafeGetTensorImpl()->bump_version();
  }
  const auto outside = closure_tensors();
  tensor_list results = spec_.outputs == output_policy::keep ? results_.hand_out(inputs.tensors(), outside)
                                                             : results_.alias(inputs.tensors(), outside);
  if (spec_.outputs == output_policy::clone) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      const result_plan& plan = results_.plans()[i];
      if (plan.from == result_plan::source::memory) results[i] = results[i].clone();
      if (plan.from == result_plan::source::same) results[i] = results[plan.index];
    }
  }
  backend_.end_use(device_);
  if (node) connect(inputs, results, node);
  return results;
}

void slot::write_back(const inputs& inputs) {
  for (std::size_t i = 0; i < static_inputs_.size(); ++i) {
    if (!spec_.tensors[i].inplace) continue;
    const at::Tensor& argument = inputs.tensors()[i];
    copy_value(argument, static_inputs_[i]);
    if (!argument.is_inference()) argument.unsafeGetTensorImpl()->bump_version();
  }
}

// Makes `node` the history of the results, between them and what they depend on.
void slot::connect(const inputs& inputs, tensor_list& results, const std::shared_ptr<function>& node) {
  torch::autograd::edge_list edges;
  edges.reserve(targets_.size());
  for (const auto& target : targets_) {
    edges.push_back(torch::autograd::impl::gradient_edge(target.is_input ? inputs.tensors()[target.index]
                                                                         : closure_.members()[target.index].tensor));
  }
  node->set_next_edges(std::move(edges));
  for (const auto& output : node_outputs_) {
    const at::Tensor& tensor = output.is_input ? inputs.tensors()[output.index] : results[output.index];
    Edge history(node, node->add_input_metadata(tensor));
    if (output.is_input) {
      torch::autograd::impl::rebase_history(tensor, std::move(history));
    } else {
      torch::autograd::impl::set_gradient_edge(tensor, std::move(history));
    }
  }
  remember_versions(inputs, results, *node);
  node->state_->served_by = shared_from_this();
}

void slot::update_bytes_held() {
  uint64_t held = pool_->bytes();
  if (backend_.capture_executes()) {
    for (const auto& input : static_inputs_) held += input.nbytes();
  }
  ledger_->update([&](statistics& stats) { stats.bytes_held += held - bytes_held_; });
  bytes_held_ = held;
}

} // namespace graphed
