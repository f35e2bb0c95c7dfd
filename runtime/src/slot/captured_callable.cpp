// SPDX-License-Identifier: Apache-2.0
#include "slot/captured_callable.h"

#include <algorithm>
#include <limits>
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

static std::vector<const Node*> roots_of(const std::vector<node_output>& outputs, const tensor_list& incoming) {
  std::vector<const Node*> roots;
  for (std::size_t i = 0; i < incoming.size(); ++i) {
    roots.push_back(incoming[i].defined() ? outputs[i].inner.function.get() : nullptr);
  }
  return roots;
}

void captured_callable::find_parts() {
  std::vector<std::unordered_set<const Node*>> found;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto nodes = reached_from({outputs[i].inner.function.get()});
    const auto meets = [&](const std::unordered_set<const Node*>& other) {
      return std::any_of(other.begin(), other.end(), [&](const Node* node) { return nodes.count(node) != 0; });
    };
    const auto merged = std::stable_partition(found.begin(), found.end(), [&](const auto& other) { return !meets(other); });
    std::for_each(merged, found.end(), [&](const auto& other) { nodes.insert(other.begin(), other.end()); });
    found.erase(merged, found.end());
    found.push_back(std::move(nodes));
  }
  if (found.empty() || found.size() > std::numeric_limits<uint64_t>::digits) {
    return;
  }
  const auto part_of = [&](const torch::autograd::Edge& inner) {
    const auto holds = [&](const auto& nodes) { return nodes.count(inner.function.get()) != 0; };
    return uint64_t{1} << (std::find_if(found.begin(), found.end(), holds) - found.begin());
  };
  for (auto& output : outputs) {
    output.part = part_of(output.inner);
  }
  for (auto& target : targets) {
    target.part = part_of(target.inner);
  }
  parts = (uint64_t{2} << (found.size() - 1)) - 1;
}

uint64_t captured_callable::parts_of(const tensor_list& incoming) const {
  uint64_t reached = 0;
  for (std::size_t i = 0; i < incoming.size(); ++i) {
    reached |= incoming[i].defined() ? outputs[i].part : 0;
  }
  return reached;
}

bool captured_callable::reach_all_nodes(const tensor_list& incoming) const {
  const auto reached = reached_from(roots_of(outputs, incoming));
  return std::all_of(outputs.begin(), outputs.end(),
                     [&](const node_output& output) { return reached.count(output.inner.function.get()) != 0; });
}

std::vector<std::size_t> captured_callable::find_unreached(const tensor_list& incoming, std::vector<std::size_t> edges) const {
  const auto reached = reached_from(roots_of(outputs, incoming));
  const auto is_reached = [&](std::size_t edge) { return reached.count(targets[edge].inner.function.get()) != 0; };
  edges.erase(std::remove_if(edges.begin(), edges.end(), is_reached), edges.end());
  return edges;
}

}  // namespace graphed
