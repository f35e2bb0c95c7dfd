// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/conditional.h"

#include "backend/cuda/kernels.h"
#include "backend/cuda/memory_nodes.h"

#include <graphed/error.h>

#include <ATen/cuda/EmptyTensor.h>
#include <c10/cuda/CUDAException.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace graphed::impl {

captured_choice begin_choice(const flow_choice& what) {
  captured_choice made{what, {}, {}};
  if (what.is_loop()) {
    made.count = at::Tensor(at::detail::empty_cuda({1}, at::kLong, what.truth.device(), std::nullopt));
  }
  return made;
}

void prepare_piece(cudaGraph_t piece, int device) {
  constexpr cudaGraphNodeType allowed[] = {cudaGraphNodeTypeKernel, cudaGraphNodeTypeEmpty, cudaGraphNodeTypeMemcpy,
                                           cudaGraphNodeTypeMemset, cudaGraphNodeTypeGraph};
  for (const cudaGraphNode_t node : nodes_of(piece)) {
    const auto type = type_of(node);
    if (std::find(std::begin(allowed), std::end(allowed), type) == std::end(allowed)) {
      throw CaptureError(std::string("a body of graphed::if_else or graphed::while_loop has a node of type '") + name_of(type) +
                         "', which CUDA allows in no body");
    }
  }
  replace_memory_nodes(piece, device);
}

#if CUDART_VERSION >= 12080

void require_conditional_nodes() {}

namespace {

// A node, or none at the begin of a body.
using last_node_of_body = std::vector<cudaGraphNode_t>;

last_node_of_body add_decision(cudaGraph_t graph, const last_node_of_body& after, const captured_choice& choice,
                               cudaGraphConditionalHandle handle, bool is_first) {
  decide_arguments arguments{handle, static_cast<const bool*>(choice.what.truth.const_data_ptr()),
                             choice.count.defined() ? choice.count.mutable_data_ptr<int64_t>() : nullptr, choice.what.at_most.value_or(0),
                             is_first};
  void* all[] = {&arguments};
  cudaKernelNodeParams params{};
  params.func = decide_kernel();
  params.gridDim = dim3(1);
  params.blockDim = dim3(1);
  params.kernelParams = all;
  cudaGraphNode_t made = nullptr;
  C10_CUDA_CHECK(cudaGraphAddKernelNode(&made, graph, after.data(), after.size(), &params));
  return {made};
}

last_node_of_body add_body(cudaGraph_t graph, const captured_body& body) {
  last_node_of_body last;
  for (std::size_t i = 0; i < body.pieces.size(); ++i) {
    if (!nodes_of(body.pieces[i].get()).empty()) {
      cudaGraphNode_t child = nullptr;
      C10_CUDA_CHECK(cudaGraphAddChildGraphNode(&child, graph, last.data(), last.size(), body.pieces[i].get()));
      last = {child};
    }
    if (i < body.between.size()) {
      last = {add_choice(graph, last, body.between[i])};
    }
  }
  return last;
}

}  // namespace

cudaGraphNode_t add_choice(cudaGraph_t graph, const std::vector<cudaGraphNode_t>& after, const captured_choice& choice) {
  const bool is_loop = choice.what.is_loop();
  cudaGraphConditionalHandle handle{};
  C10_CUDA_CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
  const auto decided = add_decision(graph, after, choice, handle, /*is_first=*/true);
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = is_loop ? cudaGraphCondTypeWhile : cudaGraphCondTypeIf;
  params.conditional.size = static_cast<unsigned>(choice.bodies.size());
  cudaGraphNode_t made = nullptr;
#if CUDART_VERSION >= 13000
  C10_CUDA_CHECK(cudaGraphAddNode(&made, graph, decided.data(), nullptr, decided.size(), &params));
#else
  C10_CUDA_CHECK(cudaGraphAddNode(&made, graph, decided.data(), decided.size(), &params));
#endif
  for (std::size_t i = 0; i < choice.bodies.size(); ++i) {
    const cudaGraph_t body = params.conditional.phGraph_out[i];
    const auto last = add_body(body, choice.bodies[i]);
    if (is_loop) {
      add_decision(body, last, choice, handle, /*is_first=*/false);
    }
  }
  return made;
}

#else

void require_conditional_nodes() {
  throw CaptureError(
      "graphed::if_else and graphed::while_loop need CUDA 12.8 or later in a graph: the runtime was built with an older one");
}

cudaGraphNode_t add_choice(cudaGraph_t, const std::vector<cudaGraphNode_t>&, const captured_choice&) {
  require_conditional_nodes();
  return nullptr;
}

#endif

}  // namespace graphed::impl
