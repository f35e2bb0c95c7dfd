// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/memory_nodes.h"

#include "backend/cuda/kernels.h"

#include <c10/cuda/CUDAException.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

namespace graphed::impl {

std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph) {
  std::size_t count = 0;
  C10_CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  C10_CUDA_CHECK(cudaGraphGetNodes(graph, nodes.data(), &count));
  return nodes;
}

cudaGraphNodeType type_of(cudaGraphNode_t node) {
  cudaGraphNodeType type{};
  C10_CUDA_CHECK(cudaGraphNodeGetType(node, &type));
  return type;
}

namespace {

#if CUDART_VERSION >= 13000
constexpr auto get_dependencies = &cudaGraphNodeGetDependencies;
constexpr auto get_dependents = &cudaGraphNodeGetDependentNodes;
constexpr auto add_dependencies = &cudaGraphAddDependencies;
constexpr auto get_edges = &cudaGraphGetEdges;
#else
constexpr auto get_dependencies = &cudaGraphNodeGetDependencies_v2;
constexpr auto get_dependents = &cudaGraphNodeGetDependentNodes_v2;
constexpr auto add_dependencies = &cudaGraphAddDependencies_v2;
constexpr auto get_edges = &cudaGraphGetEdges_v2;
#endif

bool has_any_of(cudaGraph_t graph, cudaGraphNodeType one, cudaGraphNodeType other) {
  const auto nodes = nodes_of(graph);
  return std::any_of(nodes.begin(), nodes.end(), [&](cudaGraphNode_t node) {
    const auto type = type_of(node);
    return type == one || type == other;
  });
}

/// The edges on one side of a node.
struct neighbours {
  using getter = cudaError_t (*)(cudaGraphNode_t, cudaGraphNode_t*, cudaGraphEdgeData*, std::size_t*);
  neighbours(getter get, cudaGraphNode_t node) {
    std::size_t count = 0;
    C10_CUDA_CHECK(get(node, nullptr, nullptr, &count));
    nodes.resize(count);
    edges.resize(count);
    if (count != 0) {
      C10_CUDA_CHECK(get(node, nodes.data(), edges.data(), &count));
    }
  }
  std::vector<cudaGraphNode_t> nodes;
  std::vector<cudaGraphEdgeData> edges;
};

}  // namespace

std::vector<cudaGraphNode_t> dependencies_of(cudaGraphNode_t node) { return neighbours(get_dependencies, node).nodes; }

std::vector<captured_edge> captured_edges(cudaGraph_t graph) {
  std::size_t count = 0;
  C10_CUDA_CHECK(get_edges(graph, nullptr, nullptr, nullptr, &count));
  std::vector<cudaGraphNode_t> from(count), to(count);
  std::vector<cudaGraphEdgeData> data(count);
  if (count != 0) {
    C10_CUDA_CHECK(get_edges(graph, from.data(), to.data(), data.data(), &count));
  }
  std::vector<captured_edge> edges;
  for (std::size_t i = 0; i < count; ++i) {
    edges.push_back({from[i], to[i], data[i].from_port == 0 && data[i].to_port == 0 && data[i].type == 0});
  }
  return edges;
}

void add_edge(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to) {
  C10_CUDA_CHECK(add_dependencies(graph, &from, &to, nullptr, 1));
}

namespace {

/// A kernel in a memory node's place.
struct replacement {
  void* function;
  uint64_t blocks;
  std::variant<fill_arguments, copy_arguments> arguments;
};

uint64_t blocks_of(uint64_t words) { return std::max<uint64_t>((words + kernel_threads - 1) / kernel_threads, 1); }
// Of a kernel whose threads go on to further words.
uint64_t few_blocks_of(uint64_t words) { return std::min<uint64_t>(blocks_of(words), 1024); }

bool is_memory_of(const void* pointer, int device) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return false;
  }
  return attributes.type == cudaMemoryTypeDevice && attributes.device == device;
}

// In the widest words of which the rows consist: a captured memset counts bytes.
fill_arguments in_words(const cudaMemsetParams& params) {
  const unsigned repeated = params.elementSize == 1   ? (params.value & 0xff) * 0x01010101U
                            : params.elementSize == 2 ? (params.value & 0xffff) * 0x00010001U
                                                      : params.value;
  const std::size_t pitch = params.height > 1 ? params.pitch : 0;
  const std::size_t bytes = params.width * params.elementSize;
  const std::size_t all = reinterpret_cast<std::size_t>(params.dst) | pitch | bytes;
  const unsigned word = all % 16 == 0 ? 16 : all % 4 == 0 ? 4 : params.elementSize;
  return {params.dst, pitch, bytes / word, params.height, repeated, word};
}

std::optional<replacement> of_memset(cudaGraphNode_t node, int device) {
  cudaMemsetParams params{};
  C10_CUDA_CHECK(cudaGraphMemsetNodeGetParams(node, &params));
  if (!is_memory_of(params.dst, device)) {
    return std::nullopt;
  }
  const fill_arguments arguments = in_words(params);
  const uint64_t words = arguments.width * arguments.height;
  if (arguments.word_size == 16 && arguments.height == 1 && blocks_of(words) <= std::numeric_limits<int>::max()) {
    return replacement{fill_row_kernel(), blocks_of(words), arguments};
  }
  return replacement{fill_kernel(), few_blocks_of(words), arguments};
}

template <class Byte>
Byte* place_in(const cudaPitchedPtr& memory, const cudaPos& at) {
  return static_cast<Byte*>(memory.ptr) + (at.z * memory.ysize + at.y) * memory.pitch + at.x;
}

std::optional<replacement> of_memcpy(cudaGraphNode_t node, int device) {
  cudaMemcpy3DParms params{};
  C10_CUDA_CHECK(cudaGraphMemcpyNodeGetParams(node, &params));
  if (params.srcArray != nullptr || params.dstArray != nullptr || !is_memory_of(params.srcPtr.ptr, device) ||
      !is_memory_of(params.dstPtr.ptr, device)) {
    return std::nullopt;
  }
  copy_arguments arguments{};
  arguments.to = place_in<char>(params.dstPtr, params.dstPos);
  arguments.from = place_in<const char>(params.srcPtr, params.srcPos);
  arguments.width = params.extent.width;
  arguments.height = params.extent.height;
  arguments.depth = params.extent.depth;
  // One row has no pitch, one slice no distance: they could only forbid wide loads.
  arguments.to_pitch = arguments.height * arguments.depth > 1 ? params.dstPtr.pitch : 0;
  arguments.from_pitch = arguments.height * arguments.depth > 1 ? params.srcPtr.pitch : 0;
  arguments.to_slice = arguments.depth > 1 ? params.dstPtr.pitch * params.dstPtr.ysize : 0;
  arguments.from_slice = arguments.depth > 1 ? params.srcPtr.pitch * params.srcPtr.ysize : 0;
  return replacement{copy_kernel(), few_blocks_of(arguments.width * arguments.height * arguments.depth / 16), arguments};
}

std::optional<replacement> replacement_of(cudaGraphNode_t node, int device) {
  switch (type_of(node)) {
    case cudaGraphNodeTypeMemset:
      return of_memset(node, device);
    case cudaGraphNodeTypeMemcpy:
      return of_memcpy(node, device);
    default:
      return std::nullopt;
  }
}

void replace(cudaGraph_t graph, cudaGraphNode_t node, replacement& by) {
  const neighbours before(get_dependencies, node);
  const neighbours after(get_dependents, node);
  void* arguments[] = {std::visit([](auto& each) -> void* { return &each; }, by.arguments)};
  cudaKernelNodeParams params{};
  params.func = by.function;
  params.gridDim = dim3(static_cast<unsigned>(by.blocks));
  params.blockDim = dim3(kernel_threads);
  params.kernelParams = arguments;
  cudaGraphNode_t made = nullptr;
  C10_CUDA_CHECK(cudaGraphAddKernelNode(&made, graph, nullptr, 0, &params));
  const std::vector<cudaGraphNode_t> to(before.nodes.size(), made);
  if (!to.empty()) {
    C10_CUDA_CHECK(add_dependencies(graph, before.nodes.data(), to.data(), before.edges.data(), to.size()));
  }
  const std::vector<cudaGraphNode_t> from(after.nodes.size(), made);
  if (!from.empty()) {
    C10_CUDA_CHECK(add_dependencies(graph, from.data(), after.nodes.data(), after.edges.data(), from.size()));
  }
  C10_CUDA_CHECK(cudaGraphDestroyNode(node));
}

}  // namespace

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

}  // namespace

const char* name_of(cudaGraphNodeType type) {
  const auto found = std::find_if(std::begin(node_names), std::end(node_names), [&](const auto& each) { return each.first == type; });
  return found == std::end(node_names) ? "other" : found->second;
}

bool has_memory_nodes(cudaGraph_t graph) { return has_any_of(graph, cudaGraphNodeTypeMemset, cudaGraphNodeTypeMemcpy); }

bool is_fixed(cudaGraph_t graph) { return has_any_of(graph, cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeMemFree); }

bool has_conditional_nodes(cudaGraph_t graph) { return has_any_of(graph, cudaGraphNodeTypeConditional, cudaGraphNodeTypeConditional); }

void replace_memory_nodes(cudaGraph_t graph, int device) {
  for (const cudaGraphNode_t node : nodes_of(graph)) {
    if (auto by = replacement_of(node, device)) {
      replace(graph, node, *by);
    }
  }
}

}  // namespace graphed::impl
