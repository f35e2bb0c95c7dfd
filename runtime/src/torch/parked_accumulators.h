// SPDX-License-Identifier: Apache-2.0
//
// The autograd nodes through which leaves get their gradients, kept from one call of a slot to the next. In between their leaves have none,
// as after every eager backward: nobody else finds them, nor the stream that they were made on.
#pragma once

#include "torch/node.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Stream.h>
#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/function.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace graphed {

class parked_accumulators {
 public:
  /// The gradient edge of a tensor whose shape, dtype and device are the same for every call with this place.
  torch::autograd::Edge edge_of(std::size_t place, const at::Tensor& tensor, c10::Stream current);
  /// For an edge to a leaf's accumulator, which has no hooks. Lets go of it; keeps the accumulator, which holds the leaf, if edge_of() made
  /// the edge and nobody else owns it.
  void park(std::size_t place, torch::autograd::Edge&& edge);
  /// An empty list with room for as many edges as the last one had that was given back.
  torch::autograd::edge_list take_list() { return std::exchange(list_, {}); }
  void give_back(torch::autograd::edge_list&& list) {
    list.clear();
    list_ = std::move(list);
  }

 private:
  struct place_of_leaf {
    bool is_kept = false;
    owned_node<torch::autograd::Node> parked;
  };
  std::vector<place_of_leaf> places_;
  torch::autograd::edge_list list_;
};

}  // namespace graphed
