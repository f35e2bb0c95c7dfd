// SPDX-License-Identifier: Apache-2.0
//
// What a capture runs, as a program: its operators with the nodes of the graph that each has captured.
#pragma once

#include "fusion/fuse.h"
#include "trace/program.h"
#include "watch/outside_watch.h"

#include <c10/core/StorageImpl.h>
#include <c10/cuda/CUDAStream.h>

#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace graphed::impl {

struct traced_capture {
  traced_program program;
  fusion::formulas_of_steps formulas;
  std::vector<cudaGraphNode_t> nodes;  ///< those of the steps, by the numbers that these have
};

/// An observer that comes after the one which puts operators on branches. Between begin() and end() it records one graph.
class program_trace final : public observer {
 public:
  /// Keeps a reference to what the recording knows of memory.
  explicit program_trace(const outside_watch& memory) : outside_(memory) {}

  /// The capture of `stream`, or of another piece of the graph, has begun.
  void begin(c10::cuda::CUDAStream stream);
  /// While a body is captured, which is a graph of its own; what it leaves in this one is a barrier.
  void set_paused(bool paused);
  /// Before the capture of the stream ends, while all that uses the memory after it is there. Empty where something is not known.
  std::optional<traced_capture> end();

  void before(const operator_call& call) override;
  void after(const operator_call& call, c10::ArrayRef<c10::IValue> results) override;

 private:
  using weak_storage = c10::weak_intrusive_ptr<c10::StorageImpl>;
  struct memory {
    std::vector<weak_storage> storages;
    byte_range range;
    bool is_outside = false;
  };

  std::vector<std::size_t> new_nodes(cudaStream_t stream);
  std::size_t branch_of(cudaStream_t stream);
  void add_barrier(std::vector<std::size_t> nodes);
  std::size_t memory_of(const at::Tensor& tensor);
  traced_tensor trace(const at::Tensor& tensor);
  void add_step(const operator_call& call, c10::ArrayRef<c10::IValue> results, const device_allocations::list& allocated,
                std::vector<std::size_t> nodes, std::size_t branch);

  const outside_watch& outside_;
  std::mutex mutex_;
  std::optional<c10::cuda::CUDAStream> stream_;  ///< between begin() and end()
  bool is_paused_ = false;
  bool is_known_ = true;
  traced_capture made_;
  std::unordered_map<cudaGraphNode_t, std::size_t> numbers_;
  std::vector<cudaStream_t> branches_;
  std::vector<memory> memories_;
  std::unordered_map<const c10::StorageImpl*, std::size_t> by_storage_;
  cudaStream_t running_ = nullptr;  ///< of the operator between before() and after()
};

}  // namespace graphed::impl
