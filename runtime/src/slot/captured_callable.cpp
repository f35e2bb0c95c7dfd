// SPDX-License-Identifier: Apache-2.0
#include "slot/captured_callable.h"

#include "torch/history.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace graphed::impl {

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

bool captured_callable::gives_history_to_view(const Inputs& inputs) const {
  return std::any_of(outputs.begin(), outputs.end(),
                     [&](const node_output& output) { return output.is_input && inputs.tensors()[output.index].is_view(); });
}

std::vector<at::Tensor> captured_callable::outside_of(const result_set& shown) const {
  return shown.shows_outside() ? closed_over.tensors() : std::vector<at::Tensor>();
}

void captured_callable::copy_what_is_the_callers(tensor_list& results) const {
  using source = result_plan::source;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const result_plan& plan = this->results.plans()[i];
    if (plan.from == source::same) {
      results[i] = results[plan.index];
    } else if (plan.from != source::memory && results[i].defined()) {
      results[i] = results[i].clone();
    }
  }
}

static std::unordered_set<const Node*> reached_from(torch::autograd::edge_list edges) {
  const auto reached = nodes_reached_from(std::move(edges));
  return {reached.begin(), reached.end()};
}

void captured_callable::find_parts() {
  std::vector<std::unordered_set<const Node*>> found;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto nodes = reached_from({outputs[i].inner});
    const auto meets = [&](const std::unordered_set<const Node*>& other) {
      return std::any_of(other.begin(), other.end(), [&](const Node* node) { return nodes.count(node) != 0; });
    };
    const auto merged = std::stable_partition(found.begin(), found.end(), [&](const auto& other) { return !meets(other); });
    std::for_each(merged, found.end(), [&](const auto& other) { nodes.insert(other.begin(), other.end()); });
    found.erase(merged, found.end());
    found.push_back(std::move(nodes));
  }
  for (auto& output : outputs) {
    const auto holds = [&](const auto& nodes) { return nodes.count(output.inner.function.get()) != 0; };
    output.part = static_cast<std::size_t>(std::find_if(found.begin(), found.end(), holds) - found.begin());
  }
  parts = {};
  for (std::size_t part = 0; part < found.size(); ++part) {
    parts.add(part);
  }
}

part_set captured_callable::parts_of(const tensor_list& incoming) const {
  part_set reached;
  for (std::size_t i = 0; i < incoming.size(); ++i) {
    if (incoming[i].defined()) {
      reached.add(outputs[i].part);
    }
  }
  return reached;
}

reach captured_callable::reach_of(const tensor_list& incoming) const {
  torch::autograd::edge_list roots;
  for (std::size_t i = 0; i < incoming.size(); ++i) {
    if (incoming[i].defined()) {
      roots.push_back(outputs[i].inner);
    }
  }
  const auto reached = reached_from(std::move(roots));
  const auto is_reached = [&](const torch::autograd::Edge& inner) { return reached.count(inner.function.get()) != 0; };
  reach found;
  found.is_whole = std::all_of(outputs.begin(), outputs.end(), [&](const node_output& output) { return is_reached(output.inner); });
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (!is_reached(targets[i].inner)) {
      found.unreached.push_back(i);
    }
  }
  return found;
}

}  // namespace graphed::impl
