// SPDX-License-Identifier: Apache-2.0
//
// A node that gives leaves their gradients itself, as the engine would through an accumulator for each of them, which costs it more than
// the rest of a backward.
#pragma once

#include "parked_accumulators.h"
#include "static_memory.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/function.h>

#include <vector>

namespace graphed {

/// Whether the backward that this thread is in does nothing with leaves but accumulate their gradients: no inputs were chosen, the graph is
/// not kept, no second derivative is prepared, anomalies are not searched.
bool backward_only_accumulates();

/// Whether a hook sees what comes to this edge, a leaf's. What the hook takes must keep its address, whatever replays come.
bool leads_to_hooks(const torch::autograd::Edge& edge);

/// Within such a backward, from the node's apply(), on its stream. Writes the gradient of each leaf that the node alone leads to, where
/// nobody watches, or adds it, as torch::autograd::AccumulateGrad does; then both the edge and the gradient are gone. The others are left
/// to the engine, which makes the caller's stream wait for the node's as ever. What led to a leaf is parked, its place that of its edge,
/// and what became its `.grad` retained by `results`, which handed the gradients out. True where memory of a gradient was read.
bool give_to_leaves(torch::autograd::Node& node, std::vector<at::Tensor>& gradients, parked_accumulators& parked, result_set& results);

}  // namespace graphed
