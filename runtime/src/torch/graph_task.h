// SPDX-License-Identifier: Apache-2.0
//
// The backward that this thread is in, as autograd's engine counts its nodes.
#pragma once

#include <c10/core/Stream.h>
#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/function.h>

#include <optional>

namespace graphed::impl {

/// Whether the edge's gradient is added to the `.grad` of a leaf: not where torch::autograd::grad asks for that of the leaf, and gets what
/// has come to it.
bool is_accumulated(const torch::autograd::Edge& edge);

/// Within a backward: the stream of the device that was current where it began, and waits for it at its end. None where there was none.
std::optional<c10::Stream> stream_of_backward(c10::Device device);

/// Within apply() of a node: the backward does not come to these edges of the node, nor to what they alone lead to, as if it had never
/// counted them. The node must no longer have them, but the edges that are returned, which get no gradient: what they lead to has all
/// others that it waits for.
torch::autograd::edge_list pass_by(torch::autograd::edge_list edges);

}  // namespace graphed::impl
