// SPDX-License-Identifier: Apache-2.0
//
// Gradients of a branch that a graph holds: one node of autograd stands for both bodies. Its backward is a branch by the same predicate,
// each of whose bodies goes back through what autograd has recorded of one body.
#pragma once

#include "torch/node.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/function.h>

#include <cstdint>
#include <vector>

namespace graphed::impl {

/// What autograd has recorded within a body. Made there, on its stream.
class body_history {
 public:
  body_history();

  /// The body has returned these. From now on its nodes lead to nothing outside.
  void end(const std::vector<at::Tensor>& results);
  /// Where its gradients go outside.
  const torch::autograd::edge_list& outside() const { return outside_; }
  /// Of the result with this number.
  bool has_gradient(std::size_t result) const { return roots_[result].is_valid(); }
  /// For each of `edges` that is wanted, what the body's results with these gradients give it, or zeros.
  std::vector<at::Tensor> gradients(const std::vector<at::Tensor>& of_results, const torch::autograd::edge_list& edges,
                                    const std::vector<bool>& are_wanted) const;

 private:
  static uint64_t next_node();
  bool is_outside(const torch::autograd::Node& node) const;
  void close(torch::autograd::Edge& edge);

  const uint64_t first_, visit_;
  torch::autograd::edge_list roots_, outside_, gates_;  ///< a gate replaces each edge to the outside
};

/// The results of the branch, written by either body, get a history.
void give_history_of_branch(const std::vector<at::Tensor>& results, const at::Tensor& truth, body_history then, body_history otherwise);

}  // namespace graphed::impl
