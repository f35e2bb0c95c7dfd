// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/graph.h"

#include "backend/cuda/cleanup.h"
#include "backend/cuda/memory_nodes.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <graphed/error.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace graphed {
namespace {

constexpr std::pair<cudaGraphNodeType, const char*> node_names[] = {{cudaGraphNodeTypeKernel, "kernel"},
                                                                    {cudaGraphNodeTypeMemcpy, "memcpy"},
                                                                    {cudaGraphNodeTypeMemset, "memset"},
                                                                    {cudaGraphNodeTypeHost, "host"},
                                                                    {cudaGraphNodeTypeGraph, "child graph"},
                                                                    {cudaGraphNodeTypeEmpty, "empty"},
                                                                    {cudaGraphNodeTypeWaitEvent, "event wait"},
                                                                    {cudaGraphNodeTypeEventRecord, "event record"},
                                                                    {cudaGraphNodeTypeExtSemaphoreSignal, "semaphore signal"},
                                                                    {cudaGraphNodeTypeExtSemaphoreWait, "semaphore wait"},
                                                                    {cudaGraphNodeTypeMemAlloc, "memory allocation"},
                                                                    {cudaGraphNodeTypeMemFree, "memory free"},
                                                                    {cudaGraphNodeTypeConditional, "conditional"}};

const char* name_of(cudaGraphNodeType type) {
  const auto found = std::find_if(std::begin(node_names), std::end(node_names), [&](const auto& each) { return each.first == type; });
  return found == std::end(node_names) ? "other" : found->second;
}

}  // namespace

cuda_graph::cuda_graph(graph_identity identity, graph_handle graph, std::shared_ptr<graph_resources> resources,
                       std::unique_ptr<staging> staging)
    : captured_graph(identity),
      resources_(std::move(resources)),
      graph_(std::make_shared<graph_handle>(std::move(graph))),
      staging_(std::move(staging)) {}

// A clone, where there are any: what was captured stays as it is.
std::shared_ptr<const graph_handle> cuda_graph::without_memory_nodes() {
  if (!has_memory_nodes(raw()) || is_fixed(raw())) {
    return graph_;
  }
  cudaGraph_t clone = nullptr;
  C10_CUDA_CHECK(cudaGraphClone(&clone, raw()));
  auto owned = std::make_shared<graph_handle>(clone);
  if (staging_) {
    staging_->find_in(clone);
  }
  replace_memory_nodes(clone, resources_->domain().device());
  return owned;
}

// The flags of LibTorch's own graphs: memory that a captured cudaMallocAsync left allocated is freed at the next launch, streams keep their
// priorities.
std::unique_ptr<executable> cuda_graph::instantiate() {
  const c10::cuda::CUDAGuard on_device(resources_->domain().device());
  const relaxed_capture_mode relaxed;
  const auto graph = without_memory_nodes();
  cudaGraphExec_t exec = nullptr;
  C10_CUDA_CHECK(
      cudaGraphInstantiate(&exec, graph->get(), cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUseNodePriority));
  graph_exec_handle handle(exec);
  C10_CUDA_CHECK(cudaGraphUpload(exec, resources_->domain().capture_stream().stream()));
  return std::make_unique<graph_executable>(identity(), graph, std::move(handle), resources_, std::move(staging_));
}

std::map<std::string, std::size_t> cuda_graph::node_counts() const {
  std::map<std::string, std::size_t> counts;
  for (const cudaGraphNode_t node : nodes_of(raw())) {
    ++counts[name_of(type_of(node))];
  }
  return counts;
}

void cuda_graph::write_dot(const std::string& path) const {
  const cudaError_t failure = cudaGraphDebugDotPrint(raw(), path.c_str(), cudaGraphDebugDotFlagsVerbose);
  if (failure != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    throw error("graphed: the graph could not be written to '" + path + "': " + cudaGetErrorString(failure));
  }
}

}  // namespace graphed
