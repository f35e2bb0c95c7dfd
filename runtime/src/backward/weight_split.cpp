// SPDX-License-Identifier: Apache-2.0
#include "backward/weight_split.h"

#include "torch/node.h"

#include <graphed/error.h>

#include <torch/csrc/autograd/engine.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace graphed {

using torch::autograd::Edge;
using torch::autograd::edge_list;
using torch::autograd::Engine;
using torch::autograd::Node;
using torch::autograd::variable_list;

namespace {

/// The nodes below the roots, each after those that it leads to.
std::vector<Node*> nodes_below(const edge_list& roots) {
  std::vector<Node*> ordered;
  std::unordered_set<const Node*> visited;
  std::vector<std::pair<Node*, std::size_t>> path;
  const auto enter = [&](const Edge& edge) {
    if (edge.is_valid() && visited.insert(edge.function.get()).second) {
      path.emplace_back(edge.function.get(), 0);
    }
  };
  for (const Edge& root : roots) {
    enter(root);
    while (!path.empty()) {
      auto& [node, next] = path.back();
      if (next < node->num_outputs()) {
        enter(node->next_edge(next++));
      } else {
        ordered.push_back(node);
        path.pop_back();
      }
    }
  }
  return ordered;
}

std::unordered_set<const Node*> leading_to(const edge_list& leaves, const std::vector<Node*>& ordered) {
  std::unordered_set<const Node*> found;
  for (const Edge& leaf : leaves) {
    found.insert(leaf.function.get());
  }
  for (const Node* node : ordered) {
    const auto& edges = node->next_edges();
    if (std::any_of(edges.begin(), edges.end(), [&](const Edge& edge) { return found.count(edge.function.get()) != 0; })) {
      found.insert(node);
    }
  }
  return found;
}

variable_list execute(const edge_list& roots, const variable_list& incoming, const edge_list& targets) {
  edge_list defined_roots;
  variable_list defined;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (incoming[i].defined()) {
      defined_roots.push_back(roots[i]);
      defined.push_back(incoming[i]);
    }
  }
  if (defined.empty() || targets.empty()) {
    return variable_list(targets.size());
  }
  return Engine::get_default_engine().execute(defined_roots, defined, /*keep_graph=*/true, /*create_graph=*/false,
                                              /*accumulate_grad=*/false, targets);
}

template <class List>
List picked(const List& list, const std::vector<std::size_t>& indices) {
  List made;
  for (const std::size_t index : indices) {
    made.push_back(list[index]);
  }
  return made;
}

}  // namespace

/// While it lives, the second pass finds no way into the first one's part of the graph.
class weight_split::cut {
 public:
  explicit cut(const std::vector<followed_edge>& edges) : edges_(edges) { exchange(); }
  ~cut() { exchange(); }
  cut(const cut&) = delete;
  cut& operator=(const cut&) = delete;

 private:
  void exchange() {
    set_aside_.resize(edges_.size());
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      std::swap(edges_[i].node->next_edges()[edges_[i].index], set_aside_[i]);
    }
  }
  const std::vector<followed_edge>& edges_;
  edge_list set_aside_;
};

weight_split::weight_split(const edge_list& roots, const edge_list& inputs, const edge_list& weights)
    : roots_(roots), inputs_(inputs), weights_(weights) {
  const auto ordered = nodes_below(roots);
  const auto to_inputs = leading_to(inputs, ordered);
  const auto to_weights = leading_to(weights, ordered);
  const auto is_first = [&](const Edge& edge) { return to_inputs.count(edge.function.get()) != 0; };
  const auto is_second = [&](const Edge& edge) { return !is_first(edge) && to_weights.count(edge.function.get()) != 0; };
  std::unordered_map<const Node*, owned_node<Node>> owners;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    (is_first(roots[i]) ? to_inputs_ : only_to_weights_).push_back(i);
    owners.emplace(roots[i].function.get(), roots[i].function);
  }
  for (const Node* node : ordered) {
    for (const Edge& edge : node->next_edges()) {
      owners.emplace(edge.function.get(), edge.function);
    }
  }
  for (Node* node : ordered) {
    const auto& edges = node->next_edges();
    if (to_inputs.count(node) == 0 || std::none_of(edges.begin(), edges.end(), is_second)) {
      continue;
    }
    if (!node->pre_hooks().empty() || !node->tensor_pre_hooks().empty()) {
      throw capture_error("a hook inside it changes a gradient that both passes of a backward with delayed weights need");
    }
    for (uint32_t input = 0; input < node->num_inputs(); ++input) {
      parting_.emplace_back(owners.at(node), input);
    }
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (is_first(edges[i])) {
        followed_.push_back({node, i});
      }
    }
  }
}

weight_split::first_pass weight_split::begin(const variable_list& incoming) const {
  edge_list targets = inputs_;
  targets.insert(targets.end(), parting_.begin(), parting_.end());
  variable_list found = execute(picked(roots_, to_inputs_), picked(incoming, to_inputs_), targets);
  const auto inputs_end = found.begin() + static_cast<std::ptrdiff_t>(inputs_.size());
  first_pass pass{{found.begin(), inputs_end}, {inputs_end, found.end()}};
  for (auto& gradient : picked(incoming, only_to_weights_)) {
    pass.parted.push_back(std::move(gradient));
  }
  return pass;
}

variable_list weight_split::resume(const variable_list& parted) const {
  edge_list roots = parting_;
  for (auto& root : picked(roots_, only_to_weights_)) {
    roots.push_back(std::move(root));
  }
  const cut no_way_back(followed_);
  return execute(roots, parted, weights_);
}

}  // namespace graphed
