// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/executable.h"

#include "backend/cuda/cleanup.h"
#include "backend/cuda/driver.h"
#include "backend/cuda/memory_nodes.h"
#include "backend/cuda/side_streams.h"
#include "backend/staging.h"

#include <ATen/record_function.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/util/ScopeExit.h>
#include <graphed/error.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace graphed::impl {

// The memory stream, which now waits for the last replay, counts as a user of the memory from outside: it is not reused before.
graph_resources::~graph_resources() {
  domain.retire(stream);
  warn_if_thrown("keeping a graph's tensors for its last replay", [&] {
    for (const auto& storage : used) {
      if (storage.device() == c10::Device(c10::kCUDA, domain.device())) {
        c10::cuda::CUDACachingAllocator::recordStream(storage.data_ptr(), domain.memory_stream());
      }
    }
  });
}

uint64_t graph_executable::copy_in(std::size_t place, const at::Tensor& to, const at::Tensor& from) {
  if (parts_.staged && parts_.staged->nodes.copy(place, from)) {
    return to.nbytes();
  }
  write_ahead([to, from] { copy_value(to, from); });
  return bytes_of_copy(to);
}

uint64_t graph_executable::fill_in(std::size_t place, const at::Tensor& to, const c10::Scalar& value) {
  if (parts_.staged && parts_.staged->nodes.fill(place, value)) {
    return to.nbytes();
  }
  write_ahead([to, value] { fill_value(to, value); });
  return to.nbytes();
}

// Up to so many bytes, the staging node reads pinned memory faster than a copy before the launch does. Measured on an H100: of 32 KiB
// by 8 us, of 4 MiB by 3 us. Of 8 MiB the copy is 6 us faster.
static constexpr uint64_t most_read_over_the_bus = uint64_t{4} << 20;

uint64_t graph_executable::copy_in_from_host(std::size_t place, const at::Tensor& to, const at::Tensor& from) {
  const uint64_t bytes = to.nbytes();
  if (parts_.staged && bytes <= most_read_over_the_bus) {
    parts_.staged->nodes.copy_from_host(place, from.const_data_ptr());
    return bytes;
  }
  write_ahead([to, from, bytes] {
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(to.device().index()).stream();
    C10_CUDA_CHECK(cudaMemcpyAsync(to.mutable_data_ptr(), from.const_data_ptr(), bytes, cudaMemcpyHostToDevice, stream));
  });
  return bytes;
}

bool graph_executable::copy_out(std::size_t place, const at::Tensor& to) {
  return parts_.staged && parts_.staged->tail && parts_.staged->tail->copy_out(place, to);
}

// An observer of operators is the user's code, which must not run while other uses of the order are kept out.
void graph_executable::run_ahead() {
  if (ahead_.empty()) {
    return;
  }
  const at::DisableRecordFunctionGuard unobserved;
  for (const auto& write : ahead_) {
    write();
  }
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
    parts_.staged->nodes.patch(pieces_.front().get());
    if (parts_.staged->tail) {
      parts_.staged->tail->patch(pieces_.back().get());
    }
  }
}

// Before the first patch: a launch that uploads a patched graph makes each later launch of it slower, on an H200 with CUDA 13.0 by 0.2 us
// of each kernel. On the stream of the launch, since CUDA orders an upload on another one neither before launches nor before the graph's
// end.
void graph_executable::upload(cudaStream_t stream) {
  if (!is_uploaded_) {
    for (const auto& piece : pieces_) {
      C10_CUDA_CHECK(cudaGraphUpload(piece.get(), stream));
    }
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

// What it has queued comes before the next use, also where no piece follows.
void graph_executable::run_host_part(const between_pieces& what) {
  const replay_turns::part within(turns());
  try {
    what.run();
  } catch (...) {
    warn_if_thrown("ordering what a host part has queued", [this] { parts_.resources->domain.end_use(); });
    throw;
  }
}

// That no other replay of the pool is between two of its pieces is asked where none can begin meanwhile.
void graph_executable::run() {
  order_domain& domain = parts_.resources->domain;
  std::optional<c10::cuda::CUDAGuard> on_device;
  if (c10::cuda::device_count() > 1) {
    on_device.emplace(domain.device());
  }
  enter_context(domain.device());
  const auto current = c10::cuda::getCurrentCUDAStream(domain.device());
  const cudaStream_t stream = current.stream();
  const auto forget = c10::make_scope_exit([this]() noexcept {
    if (parts_.staged) {
      parts_.staged->each([](staging_nodes& each) { each.forget(); });
    }
    ahead_.clear();  // lets go of the caller's tensors, with no lock held
  });
  std::optional<replay_turns::turn> turn;
  if (!parts_.between.empty()) {
    turn.emplace(turns(), number());
  }
  const auto launch = [&](const graph_exec_handle& piece) { C10_CUDA_CHECK(as_runtime_error(driver::get().launch(piece.get(), stream))); };
  // What a host part queues on a side stream has its place between two pieces.
  const auto use = [&](c10::function_ref<void()> what) {
    const replay_between between(parts_.resources->sides, current);
    domain.use(stream, what);
  };
  bool has_turn = false;
  while (!has_turn) {
    use([&] {
      has_turn = turn || !turns().are_taken();
      if (has_turn) {
        run_ahead();
        upload(stream);
        prepare_launch();
        launch(pieces_.front());
        note_begun();
      }
    });
    if (!has_turn) {
      turns().wait(number());
    }
  }
  for (std::size_t i = 0; i < parts_.between.size(); ++i) {
    run_host_part(parts_.between[i]);
    use([&] { launch(pieces_[i + 1]); });
  }
}

void graph_executable::order_side_streams() {
  if (const auto& sides = parts_.resources->sides; !sides.empty()) {
    const replay_between until_now(sides, c10::cuda::getCurrentCUDAStream(parts_.resources->domain.device()));
  }
}

[[noreturn]] static void refuse_several(std::size_t pieces, const char* type) {
  throw Error("graphed: a graph with host parts is " + std::to_string(pieces) + " CUDA graphs: there is no single " + type);
}

CUgraphExec_st* graph_executable::raw() const {
  if (pieces_.size() != 1) {
    refuse_several(pieces_.size(), "cudaGraphExec_t");
  }
  return pieces_.front().get();
}

CUgraph_st* cuda_graph::raw() const {
  if (parts_.pieces.size() != 1) {
    refuse_several(parts_.pieces.size(), "cudaGraph_t");
  }
  return parts_.pieces.front()->get();
}

// What was captured stays as it is where it may be instantiated again: there a clone, unless CUDA makes none.
std::shared_ptr<const graph_handle> cuda_graph::without_memory_nodes(const std::shared_ptr<const graph_handle>& piece) const {
  if (!has_memory_nodes(piece->get()) || is_fixed(piece->get())) {
    return piece;
  }
  auto changed = piece;
  if (!parts_.staged && !has_conditional_nodes(piece->get())) {
    cudaGraph_t clone = nullptr;
    C10_CUDA_CHECK(cudaGraphClone(&clone, piece->get()));
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
  graph_parts parts{parts_.resources, {}, parts_.between, nullptr, parts_.fused};
  std::vector<graph_exec_handle> made;
  for (const auto& piece : parts_.pieces) {
    parts.pieces.push_back(without_memory_nodes(piece));
    cudaGraphExec_t exec = nullptr;
    C10_CUDA_CHECK(cudaGraphInstantiate(&exec, parts.pieces.back()->get(),
                                        cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUseNodePriority));
    made.emplace_back(exec);
  }
  parts.staged = std::move(parts_.staged);
  return std::make_unique<graph_executable>(identity(), std::move(parts), std::move(made));
}

std::map<std::string, std::size_t> cuda_graph::node_counts() const {
  std::map<std::string, std::size_t> counts;
  for (const auto& piece : parts_.pieces) {
    for (const cudaGraphNode_t node : nodes_of(piece->get())) {
      ++counts[name_of(type_of(node))];
    }
  }
  return counts;
}

// Each further piece beside the first one: "policy-1-forward.dot.2".
void cuda_graph::write_dot(const std::string& path) const {
  for (std::size_t i = 0; i < parts_.pieces.size(); ++i) {
    const std::string file = i == 0 ? path : path + "." + std::to_string(i + 1);
    const cudaError_t failure = cudaGraphDebugDotPrint(parts_.pieces[i]->get(), file.c_str(), cudaGraphDebugDotFlagsVerbose);
    if (failure != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      throw Error("graphed: the graph could not be written to '" + file + "': " + cudaGetErrorString(failure));
    }
  }
}

}  // namespace graphed::impl
