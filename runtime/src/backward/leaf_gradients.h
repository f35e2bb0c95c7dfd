// SPDX-License-Identifier: Apache-2.0
//
// A node that gives leaves their gradients itself, as the engine would through an accumulator for each of them, which costs it more than
// the rest of a backward.
#pragma once

#include "capture/static_memory.h"
#include "torch/parked_accumulators.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Stream.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <vector>

namespace graphed {

/// Whether the backward that this thread is in does nothing with leaves but accumulate their gradients: no inputs were chosen, the graph is
/// not kept, no second derivative is prepared, anomalies are not searched.
bool backward_only_accumulates();

/// The accumulator at this edge of a node with this stream, where the node may give the leaf its gradient in such a backward, else null.
torch::autograd::AccumulateGrad* free_accumulator(const torch::autograd::Edge& edge, c10::Stream stream);
/// Of the node, which is in its apply() or has results.
c10::Stream stream_of(torch::autograd::Node& node);
/// Whether the gradient is what the engine would give the leaf: it casts or sums others.
bool fits(const at::Tensor& gradient, const at::Tensor& leaf);
/// Whether many such sums can be added to at once, with the same bits and without a warning.
bool is_plain_sum(const at::Tensor& sum, const at::Tensor& leaf);
/// Whether two of them share memory.
bool overlap(const std::vector<at::Tensor>& tensors);

/// Within such a backward, from the node's apply(), on its stream. Writes the gradient of each leaf that the node alone leads to, where
/// nobody watches, or adds it, as torch::autograd::AccumulateGrad does; then both the edge and the gradient are gone. The others are left
/// to the engine, which makes the caller's stream wait for the node's as ever. What led to a leaf is parked, its place that of its edge,
/// and what became its `.grad` retained by `results`, which handed the gradients out. `has_been_given` tells, where it is not empty, the
/// edges whose leaves have got theirs; their gradients are undefined. With `keeps_edges` all edges stay,
/// without gradients where those are gone. True where memory of a gradient was read.
bool give_to_leaves(torch::autograd::Node& node, std::vector<at::Tensor>& gradients, parked_accumulators& parked, result_set& results,
                    const std::vector<bool>& has_been_given, bool keeps_edges);

}  // namespace graphed
