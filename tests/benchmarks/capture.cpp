// SPDX-License-Identifier: Apache-2.0
#include "capture.h"

#include <graphed/capture.h>

#if defined(BENCHMARKS_WITH_CUDA)
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

#include <memory>
#include <stdexcept>
#include <utility>

namespace benchmarks {
namespace {

/// Captured and instantiated. The first stays for its raw handle.
struct made_graph {
  graphed::Graph graph;
  graphed::ExecutableGraph executable;
};

std::shared_ptr<std::vector<made_graph>> capture_all(c10::Device device, const std::vector<procedure>& bodies) {
  const auto made = std::make_shared<std::vector<made_graph>>();
  const graphed::PoolHandle pool = graphed::graph_pool_handle(device);
  for (const procedure& body : bodies) {
    graphed::Graph graph(device, /*keep_graph=*/true);
    {
      graphed::capture_options options;
      options.pool = pool;
      const graphed::capture scope(graph, options);
      body();
    }
    graphed::ExecutableGraph executable = graph.instantiate();
    made->push_back({std::move(graph), std::move(executable)});
  }
  return made;
}

/// Gives graphs that draw random numbers their seed, for bare launches that follow.
void replay_once(std::vector<made_graph>& made) {
  for (auto& each : made) {
    each.executable.replay();
  }
}

procedure replay_all(std::shared_ptr<std::vector<made_graph>> made) {
  return [made = std::move(made)] { replay_once(*made); };
}

#if defined(BENCHMARKS_WITH_CUDA)

/// Takes a node out of a graph: what waited for it waits for what it waited for.
void remove(cudaGraph_t graph, cudaGraphNode_t node) {
  std::size_t before = 0, after = 0;
  C10_CUDA_CHECK(cudaGraphNodeGetDependencies(node, nullptr, nullptr, &before));
  C10_CUDA_CHECK(cudaGraphNodeGetDependentNodes(node, nullptr, nullptr, &after));
  std::vector<cudaGraphNode_t> sources(before), targets(after);
  std::vector<cudaGraphEdgeData> kinds(before + after);
  if (before > 0) {
    C10_CUDA_CHECK(cudaGraphNodeGetDependencies(node, sources.data(), kinds.data(), &before));
  }
  if (after > 0) {
    C10_CUDA_CHECK(cudaGraphNodeGetDependentNodes(node, targets.data(), kinds.data(), &after));
  }
  C10_CUDA_CHECK(cudaGraphDestroyNode(node));
  for (cudaGraphNode_t source : sources) {
    for (cudaGraphNode_t target : targets) {
      C10_CUDA_CHECK(cudaGraphAddDependencies(graph, &source, &target, nullptr, 1));
    }
  }
}

std::size_t remove_memsets(cudaGraph_t graph) {
  std::size_t count = 0, removed = 0;
  C10_CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  C10_CUDA_CHECK(cudaGraphGetNodes(graph, nodes.data(), &count));
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    C10_CUDA_CHECK(cudaGraphNodeGetType(node, &type));
    if (type == cudaGraphNodeTypeMemset) {
      remove(graph, node);
      ++removed;
    }
  }
  return removed;
}

procedure launch_all(std::shared_ptr<std::vector<made_graph>> made) {
  std::vector<cudaGraphExec_t> handles;
  for (const auto& each : *made) {
    handles.push_back(each.executable.raw_cuda_graph_exec());
  }
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
  return [made = std::move(made), handles = std::move(handles), stream] {
    for (cudaGraphExec_t handle : handles) {
      C10_CUDA_CHECK(cudaGraphLaunch(handle, stream));
    }
  };
}

procedure capture_by_libtorch(const procedure& body) {
  const auto graph = std::make_shared<at::cuda::CUDAGraph>();
  {
    const c10::cuda::CUDAStreamGuard side(c10::cuda::getStreamFromPool());
    graph->capture_begin();
    body();
    graph->capture_end();
  }
  C10_CUDA_CHECK(cudaDeviceSynchronize());
  return [graph] { graph->replay(); };
}

#endif

}  // namespace

procedure capture_by_hand(c10::Device device, const procedure& body) {
#if defined(BENCHMARKS_WITH_CUDA)
  if (device.is_cuda()) {
    return capture_by_libtorch(body);
  }
#endif
  return replay_all(capture_all(device, {body}));
}

procedure capture_bare(c10::Device device, const std::vector<procedure>& bodies) {
  auto made = capture_all(device, bodies);
  replay_once(*made);
#if defined(BENCHMARKS_WITH_CUDA)
  if (device.is_cuda()) {
    return launch_all(std::move(made));
  }
#endif
  return replay_all(std::move(made));
}

procedure capture_without_memsets([[maybe_unused]] c10::Device device, [[maybe_unused]] const std::vector<procedure>& bodies) {
#if defined(BENCHMARKS_WITH_CUDA)
  if (device.is_cuda()) {
    auto made = capture_all(device, bodies);
    std::size_t removed = 0;
    for (auto& each : *made) {
      removed += remove_memsets(each.graph.raw_cuda_graph());
      each.executable = each.graph.instantiate();
    }
    if (removed == 0) {
      throw std::invalid_argument("the graphs have no memset nodes");
    }
    replay_once(*made);
    return launch_all(std::move(made));
  }
#endif
  throw std::invalid_argument("a tape has no memset nodes");
}

}  // namespace benchmarks
