// SPDX-License-Identifier: Apache-2.0
#include "slot/captured_callable.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace graphed {

using torch::autograd::Node;

bool captured_callable::can_serve(const call_details& details) const {
  if (!details.is_padded()) {
    return true;
  }
  const auto& plans = results.plans();
  if (returned != details.results.size()) {
    return false;
  }
  for (std::size_t i = 0; i < returned; ++i) {
    using source = result_plan::source;
    const at::IntArrayRef own = details.results[i].sizes;
    const at::IntArrayRef captured = plans[i].captured.defined() ? plans[i].captured.sizes() : at::IntArrayRef();
    const bool is_cut = plans[i].from == source::memory || plans[i].from == source::input || plans[i].from == source::undefined;
    if (own.size() != captured.size() || (!is_cut && own != captured)) {
      return false;
    }
    for (std::size_t dim = 0; dim < own.size(); ++dim) {
      if (own[dim] > captured[dim]) {
        return false;
      }
    }
  }
  return true;
}

std::vector<at::Tensor> captured_callable::outside_of(const result_set& shown) const {
  return shown.shows_outside() ? closed_over.tensors() : std::vector<at::Tensor>();
}

static std::unordered_set<const Node*> reached_from(const std::vector<node_output>& outputs, const tensor_list& incoming) {
  std::vector<const Node*> pending;
  for (std::size_t i = 0; i < incoming.size(); ++i) {
    pending.push_back(incoming[i].defined() ? outputs[i].inner.function.get() : nullptr);
  }
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

bool captured_callable::reach_all_nodes(const tensor_list& incoming) const {
  const auto reached = reached_from(outputs, incoming);
  return std::all_of(outputs.begin(), outputs.end(),
                     [&](const node_output& output) { return reached.count(output.inner.function.get()) != 0; });
}

std::vector<std::size_t> captured_callable::find_unreached(const tensor_list& incoming, std::vector<std::size_t> edges) const {
  const auto reached = reached_from(outputs, incoming);
  const auto is_reached = [&](std::size_t edge) { return reached.count(targets[edge].inner.function.get()) != 0; };
  edges.erase(std::remove_if(edges.begin(), edges.end(), is_reached), edges.end());
  return edges;
}

}  // namespace graphed
