// SPDX-License-Identifier: Apache-2.0
#include "watch/flow_gradient.h"

#include "torch/history.h"
#include "watch/body.h"
#include "watch/recorder.h"

#include <graphed/control_flow.h>
#include <graphed/error.h>

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

namespace graphed::impl {

using torch::autograd::AccumulateGrad;
using torch::autograd::Edge;
using torch::autograd::edge_list;
using torch::autograd::Node;

namespace {

/// An end of what a body has recorded: gradients are asked for here.
struct gate final : Node {
  explicit gate(const Edge& outside) {
    const auto& what = outside.function->input_metadata(outside.input_nr);
    add_input_metadata(what.options(), what.shape_as_dim_vector(), what.is_tensor_subclass(), what.is_nested_tensor(), what.grad_dtype());
  }
  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override { return std::move(gradients); }
};

class branch_node final : public Node {
 public:
  branch_node(at::Tensor truth, body_history then, body_history otherwise)
      : truth_(std::move(truth)), then_(std::move(then)), otherwise_(std::move(otherwise)), edges_(then_.outside()) {
    for (const Edge& each : otherwise_.outside()) {
      if (std::find(edges_.begin(), edges_.end(), each) == edges_.end()) {
        edges_.push_back(each);
      }
    }
    set_next_edges(edge_list(edges_));
  }

  std::string name() const override { return "graphed::if_else backward"; }

  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    if (c10::GradMode::is_enabled()) {
      throw Error("graphed::if_else: the gradient of its gradient is not available in a graph");
    }
    std::vector<bool> are_wanted;
    for (std::size_t i = 0; i < num_outputs(); ++i) {
      are_wanted.push_back(task_should_compute_output(i));
    }
    const auto of = [&](const body_history& body) { return [&] { return body.gradients(gradients, edges_, are_wanted); }; };
    const tensor_list wanted = run_if_else(truth_, of(then_), of(otherwise_));
    torch::autograd::variable_list all(num_outputs());
    for (std::size_t i = 0, found = 0; i < all.size(); ++i) {
      all[i] = are_wanted[i] ? wanted[found++] : at::Tensor();
    }
    return all;
  }

 private:
  const at::Tensor truth_;
  const body_history then_, otherwise_;
  edge_list edges_;  ///< to the outside; a branch around this one puts gates into the place of the node's own
};

// Of the tensors that gradients of these reach.
std::vector<const AccumulateGrad*> accumulators_beyond(const edge_list& edges) {
  std::vector<const AccumulateGrad*> found;
  for (const Node* node : nodes_reached_from(edges)) {
    if (const auto* const leaf = dynamic_cast<const AccumulateGrad*>(node)) {
      found.push_back(leaf);
    }
  }
  return found;
}

void note_gradients_of_one_body(const body_history& then, const body_history& otherwise) {
  const auto of_then = accumulators_beyond(then.outside()), of_otherwise = accumulators_beyond(otherwise.outside());
  const auto note_missing = [](const auto& those, const auto& in) {
    for (const AccumulateGrad* each : those) {
      if (std::find(in.begin(), in.end(), each) == in.end()) {
        active_recording()->note_gradient_of_one_body(each->variable.sizes());
      }
    }
  };
  note_missing(of_then, of_otherwise);
  note_missing(of_otherwise, of_then);
}

}  // namespace

body_history::body_history() : first_(next_node()), visit_(current_body()->visit) {}

uint64_t body_history::next_node() { return at::sequence_number::peek(); }

bool body_history::is_outside(const Node& node) const {
  return dynamic_cast<const AccumulateGrad*>(&node) != nullptr || node.thread_id() != at::RecordFunction::currentThreadId() ||
         node.sequence_nr() < first_;
}

void body_history::close(Edge& edge) {
  auto found = std::find(outside_.begin(), outside_.end(), edge);
  if (found == outside_.end()) {
    gates_.emplace_back(make_node<gate>(edge), 0);
    found = outside_.insert(outside_.end(), edge);
  }
  edge = gates_[static_cast<std::size_t>(found - outside_.begin())];
}

void body_history::end(const std::vector<at::Tensor>& results) {
  std::vector<Node*> pending;
  std::unordered_set<const Node*> visited;
  const auto visit = [&](Edge& edge) {
    if (edge.is_valid() && is_outside(*edge.function)) {
      close(edge);
    } else if (edge.is_valid() && visited.insert(edge.function.get()).second) {
      pending.push_back(edge.function.get());
    }
  };
  for (const auto& each : results) {
    roots_.push_back(each.requires_grad() ? edge_to(each) : Edge());
    visit(roots_.back());
  }
  while (!pending.empty()) {
    Node* const node = pending.back();
    pending.pop_back();
    for (Edge& edge : node->next_edges()) {
      visit(edge);
    }
  }
}

std::vector<at::Tensor> body_history::gradients(const std::vector<at::Tensor>& of_results, const edge_list& edges,
                                                const std::vector<bool>& are_wanted) const {
  use_also(visit_);
  edge_list roots, ends;
  std::vector<at::Tensor> incoming;
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    if (of_results[i].defined() && roots_[i].is_valid()) {
      roots.push_back(roots_[i]);
      incoming.push_back(of_results[i]);
    }
  }
  std::vector<std::size_t> places;  // of each end, among the edges
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto found = std::find(outside_.begin(), outside_.end(), edges[i]);
    if (are_wanted[i] && found != outside_.end()) {
      ends.push_back(gates_[static_cast<std::size_t>(found - outside_.begin())]);
      places.push_back(i);
    }
  }
  std::vector<at::Tensor> found(edges.size()), all;
  if (!roots.empty() && !ends.empty()) {
    const auto computed =
        torch::autograd::Engine::get_default_engine().execute(roots, incoming, /*keep_graph=*/true, /*create_graph=*/false,
                                                              /*accumulate_grad=*/false, ends);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      found[places[i]] = computed[i];
    }
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (are_wanted[i]) {
      all.push_back(found[i].defined() ? found[i] : edges[i].function->input_metadata(edges[i].input_nr).zeros_like());
    }
  }
  return all;
}

void give_history_of_branch(const std::vector<at::Tensor>& results, const at::Tensor& truth, body_history then, body_history otherwise) {
  std::vector<bool> have_gradients;
  for (std::size_t i = 0; i < results.size(); ++i) {
    have_gradients.push_back(then.has_gradient(i) || otherwise.has_gradient(i));
  }
  if (std::find(have_gradients.begin(), have_gradients.end(), true) == have_gradients.end()) {
    return;
  }
  note_gradients_of_one_body(then, otherwise);
  const auto node = make_node<branch_node>(truth, std::move(then), std::move(otherwise));
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (have_gradients[i]) {
      give_history(results[i], node);
    } else {
      node->add_input_metadata(Node::undefined_input{});
    }
  }
  announce_node(node);
}

}  // namespace graphed::impl
