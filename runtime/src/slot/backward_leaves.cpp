// SPDX-License-Identifier: Apache-2.0
//
// Between a call's tensors and the captured graph: the node's edges, and how gradients reach them.
#include "backward/leaf_gradients.h"
#include "slot/backward_table.h"
#include "torch/accumulators.h"
#include "torch/history.h"
#include "torch/hooks.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/autograd/graph_task.h>

#include <map>
#include <utility>

namespace graphed {

using torch::autograd::Edge;
using torch::autograd::Node;

void backward_table::connect_arguments(const inputs& inputs, const owned_node<torch::autograd::Node>& node) {
  const auto& targets = forward_.callable.targets;
  torch::autograd::edge_list edges = parked_.take_list();
  edges.reserve(targets.size());
  const c10::Device device = forward_.site.device;
  const c10::Stream current = c10::impl::VirtualGuardImpl(device.type()).getStream(device);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i].is_input) {
      edges.push_back(edge_to(inputs.tensors()[targets[i].index]));
    } else {
      edges.push_back(parked_.edge_of(i, forward_.callable.closed_over.members()[targets[i].index].tensor, current));
    }
  }
  node->set_next_edges(std::move(edges));
  for (const auto& output : forward_.callable.outputs) {
    if (output.is_input) {
      const at::Tensor& argument = inputs.tensors()[output.index];
      renew_history(argument, node);
    }
  }
}

void backward_table::connect_results(const inputs& inputs, const tensor_list& results, bool is_padded,
                                     const owned_node<torch::autograd::Node>& node, std::vector<saved_tensor>& saved) {
  for (const auto& output : forward_.callable.outputs) {
    if (!output.is_input) {
      const at::Tensor& result = results[output.index];
      give_history(result, node);
    }
  }
  saved.swap(spare_);
  remember_versions(forward_.callable, forward_.arguments, inputs, results, is_padded, saved);
}

void backward_table::give_back(std::vector<saved_tensor>&& saved) {
  const auto alone = lock();  // another thread may be going back through the same node
  saved.clear();
  spare_ = std::move(saved);
}

// A recording is the call itself: what it adds stays added, so that nothing may stop the backward after it.
std::shared_ptr<gradients_in_graph> backward_table::leaves_in_graph(torch::autograd::Node& node, const call_details& details,
                                                                    const std::vector<saved_tensor>& saved, std::thread::id user) {
  const auto& targets = forward_.callable.targets;
  capture_site& site = forward_.site;
  const bool is_plain = !details.is_padded() && details.verified == nullptr;
  if (!site.spec.grads_in_graph || !is_plain || !backward_only_accumulates() || !node.post_hooks().empty() ||
      node.num_outputs() != targets.size() || !are_unchanged(saved)) {
    return nullptr;
  }
  const auto make_home = [&](std::size_t edge, const at::Tensor& leaf) {
    auto made = targets[edge].is_input ? std::make_shared<gradient_home>(leaf, site.backend) : gradient_home::of(leaf, site.backend);
    if (made.use_count() == 1) {
      site.hold(made->memory().nbytes());
    }
    return made;
  };
  auto leaves = std::make_shared<gradients_in_graph>(node, homes_, make_home, user, site.spec.outputs != output_policy::clone);
  return leaves->are_any() ? leaves : nullptr;
}

void backward_table::stage(backward_variant& variant, const tensor_list& gradients) {
  stage_gradients(forward_.site, variant, gradients, variant.work.get());
}

tensor_list backward_table::gradients(backward_variant& variant, const tensor_list& incoming, const call_details& details,
                                      const torch::autograd::Node& node) {
  const auto outside = forward_.callable.outside_of(variant.results);
  tensor_list gradients = forward_.own_gradients(variant.results.hand_out(incoming, outside), details);
  pool_order& order = forward_.site.pool->order();
  const bool are_clones = forward_.site.spec.outputs == output_policy::clone;
  if (are_clones) {
    variant.results.keep(order);
  }
  bool is_cloned = false;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) {
      continue;
    }
    const bool is_taken = !are_clones && leads_to_hooks(node.next_edge(i));
    if (is_taken || (variant.copied_for_leaves[i] && accumulator_at(node.next_edge(i)) != nullptr)) {
      gradients[i] = gradients[i].clone();
      is_cloned = true;
    }
  }
  if (is_cloned) {
    order.end_use();
  }
  return gradients;
}

// Another owner of a leaf's accumulator may be a node of this backward: then the engine waits for this edge as well, and it stays.
std::vector<backward_table::cut_edge> backward_table::cut_unreached(torch::autograd::Node& node, const tensor_list& incoming,
                                                                    const tensor_list& gradients) const {
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined() && leads_to_hooks(node.next_edge(i))) {
      candidates.push_back(i);
    }
  }
  if (candidates.empty() || torch::autograd::get_current_graph_task_keep_graph()) {
    return {};
  }
  std::vector<cut_edge> cut;
  auto& edges = node.next_edges();
  std::map<const Node*, std::vector<std::size_t>> by_leaf;
  for (const std::size_t i : forward_.callable.find_unreached(incoming, std::move(candidates))) {
    by_leaf[edges[i].function.get()].push_back(i);
  }
  for (const auto& [leaf, unreached] : by_leaf) {
    const bool is_sole_owner = edges[unreached.front()].function.use_count() == static_cast<long>(unreached.size());
    for (const std::size_t i : unreached) {
      if (is_sole_owner) {
        cut.push_back({i, std::exchange(edges[i], Edge())});
      }
    }
  }
  return cut;
}

void backward_table::give_to_leaves(backward_variant& variant, torch::autograd::Node& node, tensor_list& gradients,
                                    gradients_in_graph* leaves, bool keeps_edges) {
  if (!backward_only_accumulates() || !node.post_hooks().empty()) {
    return;
  }
  if (leaves != nullptr) {
    leaves->finish(variant.given);
  }
  if (graphed::give_to_leaves(node, gradients, parked_, variant.results, variant.given, keeps_edges)) {
    forward_.site.pool->order().end_use();
  }
}

}  // namespace graphed
