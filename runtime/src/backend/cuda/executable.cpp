// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/executable.h"

#include "backend/cuda/cleanup.h"
#include "backend/cuda/driver.h"
#include "backend/cuda/memory_nodes.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/util/ScopeExit.h>
#include <graphed/error.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace graphed::impl {

// The capture stream, which now waits for the last replay, counts as a user of the memory from outside: it is not handed out before.
graph_resources::~graph_resources() {
  domain.retire(stream);
  warn_if_thrown("keeping a graph's tensors for its last replay", [&] {
    for (const auto& storage : used) {
      if (storage.device() == c10::Device(c10::kCUDA, domain.device())) {
        c10::cuda::CUDACachingAllocator::recordStream(storage.data_ptr(), domain.capture_stream());
      }
    }
  });
}

uint64_t graph_executable::copy_in(std::size_t place, const at::Tensor& to, const at::Tensor& from) {
  if (parts_.staged && parts_.staged->nodes.copy(place, from)) {
    return to.nbytes();
  }
  parts_.resources->domain.begin_use();
  return executable::copy_in(place, to, from);
}

uint64_t graph_executable::fill_in(std::size_t place, const at::Tensor& to, const c10::Scalar& value) {
  if (parts_.staged && parts_.staged->nodes.fill(place, value)) {
    return to.nbytes();
  }
  parts_.resources->domain.begin_use();
  return executable::fill_in(place, to, value);
}

bool graph_executable::copy_out(std::size_t place, const at::Tensor& to) {
  return parts_.staged && parts_.staged->tail && parts_.staged->tail->copy_out(place, to);
}

void graph_executable::prepare_launch() {
  if (auto& random = parts_.resources->random) {
    const auto position = random->take();
    if (parts_.staged) {
      parts_.staged->nodes.fill_integer(parts_.staged->seed, position.seed);
      parts_.staged->nodes.fill_integer(parts_.staged->seed + 1, position.offset);
    } else {
      random->write(position);
    }
  }
  if (parts_.staged) {
    parts_.staged->each([this](staging_nodes& each) { each.patch(exec_.get()); });
  }
}

// Before the first patch: a launch that uploads a patched graph makes each later launch of it slower, on an H200 with CUDA 13.0 by 0.2 us
// of each kernel. On the stream of the launch, since CUDA orders an upload on another one neither before launches nor before the graph's
// end.
void graph_executable::upload(cudaStream_t stream) {
  if (!is_uploaded_) {
    C10_CUDA_CHECK(cudaGraphUpload(exec_.get(), stream));
    is_uploaded_ = true;
  }
}

// The driver's functions, unlike the runtime's, make no context current in a thread that has none.
static void enter_context(c10::DeviceIndex device) {
  static thread_local bool entered = false;
  if (!entered) {
    C10_CUDA_CHECK(cudaSetDevice(device));
    entered = true;
  }
}

void graph_executable::run() {
  order_domain& domain = parts_.resources->domain;
  std::optional<c10::cuda::CUDAGuard> on_device;
  if (c10::cuda::device_count() > 1) {
    on_device.emplace(domain.device());
  }
  enter_context(domain.device());
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(domain.device()).stream();
  const auto forget = c10::make_scope_exit([this]() noexcept {
    if (parts_.staged) {
      parts_.staged->each([](staging_nodes& each) { each.forget(); });
    }
  });
  domain.use(stream, [&] {
    upload(stream);
    prepare_launch();
    C10_CUDA_CHECK(as_runtime_error(driver::get().launch(exec_.get(), stream)));
  });
}

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

// What was captured stays as it is where it may be instantiated again: there a clone.
std::shared_ptr<const graph_handle> cuda_graph::without_memory_nodes() {
  if (!has_memory_nodes(raw()) || is_fixed(raw())) {
    return parts_.graph;
  }
  auto changed = parts_.graph;
  if (!parts_.staged) {
    cudaGraph_t clone = nullptr;
    C10_CUDA_CHECK(cudaGraphClone(&clone, raw()));
    changed = std::make_shared<graph_handle>(clone);
  }
  replace_memory_nodes(changed->get(), parts_.resources->domain.device());
  return changed;
}

// The flags of LibTorch's own graphs: memory that a captured cudaMallocAsync left allocated is freed at the next launch, streams keep their
// priorities.
std::unique_ptr<executable> cuda_graph::make_executable() {
  const c10::cuda::CUDAGuard on_device(parts_.resources->domain.device());
  const relaxed_capture_mode relaxed;
  const auto graph = without_memory_nodes();
  cudaGraphExec_t exec = nullptr;
  C10_CUDA_CHECK(
      cudaGraphInstantiate(&exec, graph->get(), cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUseNodePriority));
  graph_exec_handle handle(exec);
  return std::make_unique<graph_executable>(identity(), graph_parts{parts_.resources, graph, std::move(parts_.staged)}, std::move(handle));
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
    throw Error("graphed: the graph could not be written to '" + path + "': " + cudaGetErrorString(failure));
  }
}

}  // namespace graphed::impl
