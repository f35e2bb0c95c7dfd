// SPDX-License-Identifier: Apache-2.0
//
// Gradients of leaves: given within the backward graph, or after it.
#include "backward/leaf_gradients.h"
#include "slot/function_state.h"
#include "slot/slot.h"

#include <torch/csrc/autograd/graph_task.h>

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

namespace graphed {

using torch::autograd::Node;

static bool are_unchanged(const std::vector<saved_tensor>& needed) {
  return std::all_of(needed.begin(), needed.end(),
                     [](const saved_tensor& saved) { return saved.counter.current_version() == saved.version; });
}

// A recording is the call itself: what it adds stays added, so that nothing may stop the backward after it.
std::shared_ptr<gradients_in_graph> slot::leaves_in_graph(function& node) {
  const call_details& details = *node.state_->details;
  const bool is_plain = !details.is_padded() && details.verified == nullptr && details.copied.inputs && details.copied.outputs;
  if (!spec_.grads_in_graph || spec_.delay_weights || !is_plain || !backward_only_accumulates() || !node.post_hooks().empty() ||
      node.num_outputs() != targets_.size() || !are_unchanged(node.state_->saved)) {
    return nullptr;
  }
  const auto make_home = [&](std::size_t edge, const at::Tensor& leaf) {
    auto made = targets_[edge].is_input ? std::make_shared<gradient_home>(leaf, backend_) : gradient_home::of(leaf, backend_);
    bytes_in_pool_ += made.use_count() == 1 ? made->memory().nbytes() : 0;
    return made;
  };
  auto leaves = std::make_shared<gradients_in_graph>(node, homes_, make_home, user_.load(), spec_.outputs != output_policy::clone);
  return leaves->are_any() ? leaves : nullptr;
}

// Gradients that lie where no graph has left them are added to in a graph once they are found there a second time.
bool slot::are_worth_a_graph(const std::string& pattern, const gradients_in_graph& leaves) {
  const bool is_settled = leaves.are_at_home() || pattern == unsettled_;
  unsettled_ = leaves.are_at_home() ? unsettled_ : pattern;
  return is_settled && variants_.size() < patterns_of_a_slot / 2;
}

static std::unordered_set<const Node*> reached_from(std::vector<const Node*> pending) {
  std::unordered_set<const Node*> reached;
  while (!pending.empty()) {
    const Node* const node = pending.back();
    pending.pop_back();
    if (node != nullptr && reached.insert(node).second) {
      for (const auto& edge : node->next_edges()) {
        pending.push_back(edge.function.get());
      }
    }
  }
  return reached;
}

std::vector<const Node*> slot::roots_of(const tensor_list& incoming) const {
  std::vector<const Node*> roots;
  for (std::size_t i = 0; i < incoming.size(); ++i) {
    roots.push_back(incoming[i].defined() ? node_outputs_[i].inner.function.get() : nullptr);
  }
  return roots;
}

bool slot::reach_all_nodes(const tensor_list& incoming) const {
  const auto reached = reached_from(roots_of(incoming));
  return std::all_of(node_outputs_.begin(), node_outputs_.end(),
                     [&](const node_output& output) { return reached.count(output.inner.function.get()) != 0; });
}

// What other nodes got as well when it came to its leaf, eager copies. Only where another gradient shows its memory can anybody tell.
std::vector<bool> slot::find_copied_for_leaves(const tensor_list& gradients, const recording& seen) {
  std::vector<bool> copied;
  for (const auto& gradient : gradients) {
    copied.push_back(gradient.defined() && seen.goes_on_from(gradient) &&
                     std::any_of(gradients.begin(), gradients.end(), [&](const at::Tensor& other) {
                       return other.defined() && !other.is_same(gradient) && other.is_alias_of(gradient);
                     }));
  }
  return copied;
}

std::vector<std::size_t> slot::find_unreached(const tensor_list& incoming, std::vector<std::size_t> edges) const {
  const auto reached = reached_from(roots_of(incoming));
  const auto is_reached = [&](std::size_t edge) { return reached.count(targets_[edge].inner.function.get()) != 0; };
  edges.erase(std::remove_if(edges.begin(), edges.end(), is_reached), edges.end());
  return edges;
}

// Another owner of a leaf's accumulator may be a node of this backward: then the engine waits for this edge as well, and it stays.
void slot::cut_unreached(function& node, const tensor_list& incoming, const tensor_list& gradients) const {
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined() && leads_to_hooks(node.next_edge(i))) {
      candidates.push_back(i);
    }
  }
  if (candidates.empty() || torch::autograd::get_current_graph_task_keep_graph()) {
    return;
  }
  auto& edges = node.next_edges();
  std::map<const Node*, std::vector<std::size_t>> by_leaf;
  for (const std::size_t i : find_unreached(incoming, std::move(candidates))) {
    by_leaf[edges[i].function.get()].push_back(i);
  }
  for (const auto& [leaf, unreached] : by_leaf) {
    const bool is_sole_owner = edges[unreached.front()].function.use_count() == static_cast<long>(unreached.size());
    for (const std::size_t i : unreached) {
      edges[i] = is_sole_owner ? torch::autograd::Edge() : edges[i];
    }
  }
}

void slot::give_to_leaves(backward_variant& variant, function& node, tensor_list& gradients, gradients_in_graph* leaves) {
  if (!backward_only_accumulates() || !node.post_hooks().empty()) {
    return;
  }
  if (leaves != nullptr) {
    leaves->finish(variant.given);
  }
  if (graphed::give_to_leaves(node, gradients, parked_, variant.results, variant.given)) {
    backend_.end_use(device_);
  }
}

}  // namespace graphed
