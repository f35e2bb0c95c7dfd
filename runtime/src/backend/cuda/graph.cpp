// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/graph.h"

#include "backend/cuda/cleanup.h"
#include "backend/cuda/memory_nodes.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <graphed/error.h>

#include <utility>
#include <vector>

namespace graphed {
namespace {

const char* name_of(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel:
      return "kernel";
    case cudaGraphNodeTypeMemcpy:
      return "memcpy";
    case cudaGraphNodeTypeMemset:
      return "memset";
    case cudaGraphNodeTypeHost:
      return "host";
    case cudaGraphNodeTypeGraph:
      return "child graph";
    case cudaGraphNodeTypeEmpty:
      return "empty";
    case cudaGraphNodeTypeWaitEvent:
      return "event wait";
    case cudaGraphNodeTypeEventRecord:
      return "event record";
    case cudaGraphNodeTypeExtSemaphoreSignal:
      return "semaphore signal";
    case cudaGraphNodeTypeExtSemaphoreWait:
      return "semaphore wait";
    case cudaGraphNodeTypeMemAlloc:
      return "memory allocation";
    case cudaGraphNodeTypeMemFree:
      return "memory free";
    case cudaGraphNodeTypeConditional:
      return "conditional";
    default:
      return "other";
  }
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
  std::size_t count = 0;
  C10_CUDA_CHECK(cudaGraphGetNodes(raw(), nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  C10_CUDA_CHECK(cudaGraphGetNodes(raw(), nodes.data(), &count));
  std::map<std::string, std::size_t> counts;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    C10_CUDA_CHECK(cudaGraphNodeGetType(node, &type));
    ++counts[name_of(type)];
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
