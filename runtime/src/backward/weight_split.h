// SPDX-License-Identifier: Apache-2.0
//
// A backward in two passes over one autograd graph: first the gradients of the inputs, later those of the weights, without computing
// anything twice. The nodes where the two part are found as in PyTorch's pipelines (torch/distributed/pipelining/_backward.py,
// stage_backward_input and stage_backward_weight, after Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024); here the edges between
// such nodes are cut for the second pass, so that weights that are used twice are right as well.
#pragma once

#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/function.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace graphed {

class weight_split {
 public:
  /// `roots` is where gradients come in. `inputs` and `weights` are leaves of the graph. Throws capture_error where a hook inside the graph
  /// would run twice.
  weight_split(const torch::autograd::edge_list& roots, const torch::autograd::edge_list& inputs,
               const torch::autograd::edge_list& weights);

  /// Gradients of the inputs, and of what resume() starts from, for gradients that come into the roots.
  struct first_pass {
    torch::autograd::variable_list inputs;
    torch::autograd::variable_list parted;
  };
  first_pass begin(const torch::autograd::variable_list& incoming) const;
  /// The weights' gradients, undefined where there are none, from what begin() left.
  torch::autograd::variable_list resume(const torch::autograd::variable_list& parted) const;

 private:
  /// An edge of a parting node that the first pass follows.
  struct followed_edge {
    torch::autograd::Node* node;
    std::size_t index;
  };
  class cut;

  torch::autograd::edge_list roots_;
  torch::autograd::edge_list inputs_;
  torch::autograd::edge_list weights_;
  std::vector<std::size_t> to_inputs_;        ///< roots that lead to an input
  torch::autograd::edge_list parting_;        ///< every gradient that comes into a node where the passes part
  std::vector<std::size_t> only_to_weights_;  ///< roots
  std::vector<followed_edge> followed_;
};

}  // namespace graphed
