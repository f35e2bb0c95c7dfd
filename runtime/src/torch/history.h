// SPDX-License-Identifier: Apache-2.0
//
// Which node of autograd's graph a tensor's gradient goes to.
#pragma once

#include "torch/node.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/function.h>

#include <vector>

namespace graphed::impl {

/// Where the gradient of this tensor goes: to the node that made it, or to a leaf's accumulator, which is made where there is none.
torch::autograd::Edge edge_to(const at::Tensor& tensor);
/// The nodes that gradients of these come to.
std::vector<const torch::autograd::Node*> nodes_reached_from(torch::autograd::edge_list pending);
/// The node made this tensor, as its next result.
void give_history(const at::Tensor& made, const owned_node<torch::autograd::Node>& node);
/// The node changed this tensor in place, and has the edge to what it was.
void renew_history(const at::Tensor& changed, const owned_node<torch::autograd::Node>& node);

/// Once for each node that the program may see, when it has its edges and its results: runs the hooks that LibTorch has for new nodes, from
/// 2.15 on.
void announce_node(const owned_node<torch::autograd::Node>& node);

/// Whether autograd knows anything of it: it has, or had, a gradient, hooks or a history, or requires grad.
bool has_autograd_state(const at::Tensor& tensor);
void forget_autograd_state(const at::Tensor& tensor);
/// What autograd takes this tensor for a view of, or null.
const at::Tensor* base_of(const at::Tensor& tensor);
/// Whether autograd takes it for a view of `base` that may be changed in place like any other.
bool is_ordinary_view(const at::Tensor& view, const at::Tensor& base);

}  // namespace graphed::impl
