// SPDX-License-Identifier: Apache-2.0
#include "torch/history.h"

#include "torch/libtorch_version.h"

#include <torch/csrc/autograd/variable.h>

#include <unordered_set>
#include <utility>

namespace graphed::impl {

namespace autograd_impl = torch::autograd::impl;
using torch::autograd::Edge;

Edge edge_to(const at::Tensor& tensor) { return autograd_impl::gradient_edge(tensor); }

std::vector<const torch::autograd::Node*> nodes_reached_from(torch::autograd::edge_list pending) {
  std::vector<const torch::autograd::Node*> reached;
  std::unordered_set<const torch::autograd::Node*> known;
  while (!pending.empty()) {
    const Edge edge = std::move(pending.back());
    pending.pop_back();
    if (edge.is_valid() && known.insert(edge.function.get()).second) {
      reached.push_back(edge.function.get());
      const auto& further = edge.function->next_edges();
      pending.insert(pending.end(), further.begin(), further.end());
    }
  }
  return reached;
}

void give_history(const at::Tensor& made, const owned_node<torch::autograd::Node>& node) {
  autograd_impl::set_gradient_edge(made, Edge(node, node->add_input_metadata(made)));
}

void renew_history(const at::Tensor& changed, const owned_node<torch::autograd::Node>& node) {
  autograd_impl::rebase_history(changed, Edge(node, node->add_input_metadata(changed)));
}

#if GRAPHED_LIBTORCH_AT_LEAST(2, 15)
void announce_node(const owned_node<torch::autograd::Node>& node) { torch::autograd::fire_node_creation_hooks(node); }
#else
void announce_node(const owned_node<torch::autograd::Node>& /*node*/) {}
#endif

bool has_autograd_state(const at::Tensor& tensor) { return autograd_impl::get_autograd_meta(tensor) != nullptr; }

void forget_autograd_state(const at::Tensor& tensor) { tensor.unsafeGetTensorImpl()->set_autograd_meta(nullptr); }

const at::Tensor* base_of(const at::Tensor& tensor) {
  const auto* meta = autograd_impl::get_view_autograd_meta(tensor);
  return meta != nullptr && meta->has_bw_view() ? &meta->get_backward_view().base_ : nullptr;
}

bool is_ordinary_view(const at::Tensor& view, const at::Tensor& base) {
  const at::Tensor* const known = base_of(view);
  return known != nullptr && known->is_same(base) &&
         autograd_impl::get_view_autograd_meta(view)->get_creation_meta() == torch::autograd::CreationMeta::DEFAULT;
}

}  // namespace graphed::impl
