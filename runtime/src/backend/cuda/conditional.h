// SPDX-License-Identifier: Apache-2.0
//
// Branches and loops of a graph: conditional nodes. A graph that holds one can be neither cloned nor the child of another one. So each body
// is captured alone, into graphs that end where it comes to a choice of its own. When all of it has worked, the node is made, and those
// graphs become children of its body's graph.
#pragma once

#include "backend/cuda/cleanup.h"
#include "watch/control_flow.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace graphed::impl {

struct captured_choice;

struct captured_body {
  std::vector<graph_handle> pieces;
  std::vector<captured_choice> between;  ///< after each piece but the last
};

struct captured_choice {
  flow_choice what;
  at::Tensor count;  ///< of a loop: how often its body has run
  std::vector<captured_body> bodies;
};

/// Throws CaptureError where this CUDA has no such nodes.
void require_conditional_nodes();
/// Before the bodies are captured, on the current stream.
captured_choice begin_choice(const flow_choice& what);
/// Kernel nodes replace the memory nodes of a piece that was captured. Throws CaptureError for a node that no body may have.
void prepare_piece(cudaGraph_t piece, int device);
/// Adds the choice to a graph, after these nodes. Returns its last node.
cudaGraphNode_t add_choice(cudaGraph_t graph, const std::vector<cudaGraphNode_t>& after, const captured_choice& choice);

}  // namespace graphed::impl
