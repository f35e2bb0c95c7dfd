// SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include "cleanup.h"

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

cuda_graph::cuda_graph(graph_identity identity, graph_handle graph, std::shared_ptr<graph_resources> resources)
    : captured_graph(identity), resources_(std::move(resources)), graph_(std::move(graph)) {}

// The flags of LibTorch's own graphs: memory that a captured cudaMallocAsync left allocated is freed at the next launch, streams keep their
// priorities.
std::unique_ptr<executable> cuda_graph::instantiate() {
  const c10::cuda::CUDAGuard on_device(resources_->domain().device());
  const relaxed_capture_mode relaxed;
  cudaGraphExec_t exec = nullptr;
  C10_CUDA_CHECK(
      cudaGraphInstantiate(&exec, graph_.get(), cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUseNodePriority));
  graph_exec_handle handle(exec);
  C10_CUDA_CHECK(cudaGraphUpload(exec, resources_->domain().capture_stream().stream()));
  return std::make_unique<graph_executable>(identity(), std::move(handle), resources_);
}

std::map<std::string, std::size_t> cuda_graph::node_counts() const {
  std::size_t count = 0;
  C10_CUDA_CHECK(cudaGraphGetNodes(graph_.get(), nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  C10_CUDA_CHECK(cudaGraphGetNodes(graph_.get(), nodes.data(), &count));
  std::map<std::string, std::size_t> counts;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    C10_CUDA_CHECK(cudaGraphNodeGetType(node, &type));
    ++counts[name_of(type)];
  }
  return counts;
}

void cuda_graph::write_dot(const std::string& path) const {
  const cudaError_t failure = cudaGraphDebugDotPrint(graph_.get(), path.c_str(), cudaGraphDebugDotFlagsVerbose);
  if (failure != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    throw error("graphed: the graph could not be written to '" + path + "': " + cudaGetErrorString(failure));
  }
}

}  // namespace graphed
