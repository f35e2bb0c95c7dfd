// SPDX-License-Identifier: Apache-2.0
#include "slot/call_node.h"

#include "report/log.h"
#include "report/pages.h"
#include "slot/verification.h"
#include "torch/accumulators.h"
#include "torch/graph_task.h"
#include "torch/history.h"
#include "torch/hooks.h"
#include "torch/node.h"

#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace graphed::impl {

std::optional<BackwardGraph> AutogradFunction::backward(const tensor_list& gradients) { return node_->backward(gradients); }

tensor_list AutogradFunction::original_backward(const tensor_list& gradients) { return node_->original_backward(gradients); }

call_node::call_node(AutogradFunction* (*make)(void* place), SlotLease&& lease, std::shared_ptr<const call_details> details)
    : code_(make(place_)),
      served_by_(lease.leased()),
      lease_(std::move(lease)),
      details_(std::move(details)),
      is_gone_back_(callable().parts.empty()) {
  code_->node_ = this;
}

// A backward without a gradient here is one that eager's would not have reached.
void call_node::release_variables() {
  if (is_gone_back_) {
    release();
  }
}

void call_node::release() {
  if (!released_.exchange(true)) {
    served_by_->backwards().give_back(std::move(saved_));
    lease_.end();
  }
}

// A slot that serves no more calls may have outlived its callable's library: then its own code goes the same way.
tensor_list call_node::apply(tensor_list&& gradients) {
  if (served_by_->is_served()) {
    return code_->apply(std::move(gradients));
  }
  auto graph = backward(gradients);
  if (!graph) {
    return original_backward(gradients);
  }
  graph->stage(gradients);
  graph->replay();
  return graph->gradients(gradients);
}

std::optional<BackwardGraph> call_node::backward(const tensor_list& gradients) {
  slot& slot = *served_by_;
  backward_table& backwards = slot.backwards();
  auto alone = backwards.lock();
  going_back_ = callable().parts_of(gradients);
  if (going_back_.empty()) {
    return std::nullopt;
  }
  check_gone_back();
  if (callable().has_branches && !are_unchanged(saved_)) {
    return std::nullopt;  // the nodes of the body that ran show whether that has saved what was modified
  }
  if (details_->verified) {
    details_->verified->begin_backward();
  }
  auto leaves = claim_leaves();
  auto [variant, is_captured_now, learned, failed] = backwards.find(gradients, *details_, leaves, slot.serves_first_call());
  learned_ = std::move(learned);
  failed_ = std::move(failed);
  if (variant != nullptr && !is_captured_now && !slot.may_replay(*variant->work)) {
    variant = nullptr;
  }
  if (variant == nullptr) {
    return std::nullopt;
  }
  check_versions(saved_, *variant);
  return std::optional<BackwardGraph>(std::in_place, *this, slot, *variant, is_captured_now, std::move(alone), std::move(leaves));
}

tensor_list call_node::original_backward(const tensor_list& gradients) {
  const auto alone = served_by_->backwards().lock();
  going_back_ = callable().parts_of(gradients);
  if (going_back_.empty()) {
    return tensor_list(num_outputs());
  }
  const host_results_watch host_parts;
  tensor_list results = run_eagerly(gradients);
  if (!learned_.empty()) {
    served_by_->backwards().learn_host_results(std::exchange(learned_, {}), host_parts.passed());
  }
  at::Tensor restores_edges = pass_by(callable().reach_of(gradients).unreached, results);
  forbid_double_backward(results);
  note_gone_back();
  end_passing(std::move(restores_edges), results);
  return results;
}

tensor_list call_node::run_eagerly(const tensor_list& gradients) {
  backward_table& backwards = served_by_->backwards();
  const std::optional<failed_try> failed = std::exchange(failed_, {});
  const exceptions_again same(failed ? failed->thrown : thrown_by_host_parts());
  try {
    tensor_list results = run_backward(backwards.forward(), gradients, *details_, saved_);
    if (failed) {
      backwards.note_failure_alone(*failed);
    }
    return results;
  } catch (...) {
    if (failed) {
      backwards.note_failure_of_both(gradients, *details_, *failed);
    }
    throw;
  }
}

void call_node::check_gone_back() const {
  TORCH_CHECK(!released_ && !gone_back_.meets(going_back_), torch::autograd::ERR_BACKWARD_TWICE);
  TORCH_CHECK(aside_.empty(), message_prefix(served_by_->site().spec),
              "another thread is going back through another part of this call's graph");
}

void call_node::note_gone_back() {
  if (!torch::autograd::get_current_graph_task_keep_graph()) {
    gone_back_.add(going_back_);
    is_gone_back_ = gone_back_ == callable().parts;
  }
}

// A recording is the call itself: what it adds stays added, so that nothing may stop the backward after it.
std::shared_ptr<leaf_gradients> call_node::claim_leaves() {
  const auto& targets = callable().targets;
  capture_site& site = served_by_->site();
  const bool is_plain = !details_->is_padded() && details_->verified == nullptr;
  if (!site.spec.grads_in_graph || !is_plain || !site.order.gives_memory() || !leaf_gradients::may_give(*this) ||
      num_outputs() != targets.size() || !are_unchanged(saved_)) {
    return nullptr;
  }
  const auto make_home = [&](std::size_t edge, const at::Tensor& leaf) {
    auto made = targets[edge].is_input ? std::make_shared<gradient_home>(leaf, site.backend) : gradient_home::of(leaf, site.backend);
    if (made.use_count() == 1) {
      site.hold(made->memory().nbytes());
    }
    return made;
  };
  auto leaves = std::make_shared<leaf_gradients>(*this, served_by_->backwards().leaves());
  return leaves->claim(make_home, served_by_->user(), site.spec.outputs != OutputPolicy::Clone) ? leaves : nullptr;
}

at::Tensor call_node::pass_by(const std::vector<std::size_t>& unreached, tensor_list& gradients) {
  auto& edges = next_edges();
  std::vector<std::size_t> places;
  std::copy_if(unreached.begin(), unreached.end(), std::back_inserter(places),
               [&](std::size_t i) { return edges[i].is_valid() && (accumulator_at(edges[i]) == nullptr || leads_to_hooks(edges[i])); });
  if (places.empty() || torch::autograd::get_current_graph_task_exec_info() == nullptr) {
    return {};
  }
  at::Tensor restores_edges;
  if (goes_back_in_parts() || torch::autograd::get_current_graph_task_keep_graph()) {
    aside_ = edges;
    restores_edges = at::from_blob(this, {0}, [owner = owner_of(*this), this](void* /*node*/) {
      const auto alone = served_by_->backwards().lock();
      next_edges() = std::exchange(aside_, {});
    });
  }
  torch::autograd::edge_list passed;
  for (const std::size_t i : places) {
    passed.push_back(std::exchange(edges[i], {}));
  }
  const auto due = impl::pass_by(std::move(passed));
  edges.insert(edges.end(), due.begin(), due.end());
  gradients.resize(edges.size());
  return restores_edges;
}

// The engine lets go of a gradient that has no edge once it has looked at all edges, and before it comes to another node. A callback of
// the backward would be late: of one that fails, the engine lets go of them after the caller has the exception.
void call_node::end_passing(at::Tensor&& restores_edges, tensor_list& gradients) const {
  if (restores_edges.defined()) {
    const auto& edges = next_edges();
    const auto passed = std::find_if(edges.begin(), edges.end(), [](const torch::autograd::Edge& edge) { return !edge.is_valid(); });
    gradients[static_cast<std::size_t>(passed - edges.begin())] = std::move(restores_edges);
  }
}

void call_node::forbid_double_backward(tensor_list& gradients) const {
  if (!c10::GradMode::is_enabled()) {
    return;
  }
  owned_node<Node> node;
  for (auto& gradient : gradients) {
    if (!gradient.defined()) {
      continue;
    }
    if (!node) {
      node = make_node<torch::autograd::Error>(message_prefix(served_by_->site().spec) +
                                                   "a graphed callable cannot be differentiated twice; mark the training 'step', with both "
                                                   "gradients inside, or call the original "
                                                   "function where create_graph is needed" +
                                                   see(pages::second_order),
                                               torch::autograd::edge_list(next_edges()));
    }
    gradient = gradient.detach();
    give_history(gradient, node);
  }
  if (node) {
    announce_node(node);
  }
}

}  // namespace graphed::impl
