// SPDX-License-Identifier: Apache-2.0
#include "slot/targets.h"

#include "slot/capture.h"

#include <graphed/error.h>

#include <ATen/record_function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>

namespace graphed::impl {

using torch::autograd::AccumulateGrad;
using torch::autograd::Edge;
using torch::autograd::Node;

earlier_nodes::earlier_nodes(uint64_t first, const recording& seen) : first_(first), thread_(at::RecordFunction::currentThreadId()) {
  for (const auto& outside : seen.tensors()->all()) {
    if (!outside.written && outside.tensor.grad_fn()) {
      of_tensors_.insert(outside.tensor.grad_fn().get());
    }
  }
}

bool earlier_nodes::include(const Node& node) const {
  return of_tensors_.count(&node) != 0 || (node.thread_id() == thread_ && node.sequence_nr() < first_);
}

namespace {

/// The edges to leaves, by where their gradients go. A `static` argument that is closed over as well is in the argument's memory, and so no
/// tensor from outside to the recording.
class search {
 public:
  search(const captured_callable& made, const static_arguments& arguments, const Inputs& inputs, const earlier_nodes& earlier)
      : made_(made),
        arguments_(arguments.tensors()),
        given_(inputs.tensors()),
        earlier_(earlier),
        to_inputs_(arguments_.size()),
        to_members_(made.closed_over.members().size()) {
    for (const auto& output : made.outputs) {
      visit(output.inner);
    }
    while (!pending_.empty()) {
      const Node* const node = pending_.back();
      pending_.pop_back();
      for (const Edge& edge : node->next_edges()) {
        visit(edge);
      }
    }
  }

  std::vector<gradient_target> targets() const {
    std::vector<gradient_target> found;
    for (const bool is_input : {true, false}) {
      const auto& edges = is_input ? to_inputs_ : to_members_;
      for (std::size_t i = 0; i < edges.size(); ++i) {
        if (edges[i].is_valid()) {
          found.push_back({is_input, i, edges[i]});
        }
      }
    }
    return found;
  }

 private:
  void visit(const Edge& edge) {
    if (!edge.function || !visited_.insert(edge.function.get()).second) {
      return;
    }
    if (const auto* const leaf = dynamic_cast<AccumulateGrad*>(edge.function.get())) {
      note(edge, leaf->variable);
    } else if (earlier_.include(*edge.function)) {
      throw CaptureError("the callable uses a tensor from outside that has a history (" + edge.function->name() +
                         "): pass it as an argument");
    } else {
      pending_.push_back(edge.function.get());
    }
  }

  void note(const Edge& edge, const at::Tensor& leaf) {
    const auto argument =
        std::find_if(arguments_.begin(), arguments_.end(), [&](const at::Tensor& each) { return each.defined() && each.is_same(leaf); });
    if (argument != arguments_.end()) {
      to_inputs_[static_cast<std::size_t>(argument - arguments_.begin())] = edge;
    }
    const auto& members = made_.closed_over.members();
    if (const auto* const member = made_.closed_over.find_captured(leaf)) {
      if (!member->captured().is_same(leaf)) {
        throw needs_originals();
      }
      to_members_[static_cast<std::size_t>(member - members.data())] = edge;
    } else if (std::any_of(given_.begin(), given_.end(), [&](const at::Tensor& each) { return each.is_same(leaf); })) {
      throw unseen_tensors{{leaf}};
    }
  }

  const captured_callable& made_;
  const std::vector<at::Tensor>& arguments_;
  const at::TensorList given_;
  const earlier_nodes& earlier_;
  std::vector<Edge> to_inputs_, to_members_;
  std::unordered_set<const Node*> visited_;
  std::vector<Node*> pending_;
};

}  // namespace

std::vector<gradient_target> find_targets(const captured_callable& made, const static_arguments& arguments, const Inputs& inputs,
                                          const earlier_nodes& earlier) {
  return search(made, arguments, inputs, earlier).targets();
}

}  // namespace graphed::impl
