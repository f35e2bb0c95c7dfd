// SPDX-License-Identifier: Apache-2.0
//
// The first nodes of a graph, which copy arguments and values into its static memory, or its last ones, which copy out of it. A call is
// then one launch. Their parameters are patched before each launch (cuGraphExecKernelNodeSetParams), which does not disturb launches in
// flight.
#pragma once

#include "backend/cuda/driver.h"
#include "backend/cuda/kernels.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

namespace graphed::impl {

class staging_nodes {
 public:
  /// Queues them on `stream`, which is being captured, with a place for each of these tensors of the graph. Nothing that uses those may be
  /// queued before the first nodes, or after the last ones.
  /// `from_host`: of how many bytes the tensors are that get arguments of the host.
  staging_nodes(cudaStream_t stream, const std::vector<at::Tensor>& tensors, uint64_t from_host = 0);

  /// Leaves out the other places, for which nothing is ever staged. Before the graph is instantiated.
  void keep_first(std::size_t count);
  bool empty() const { return parts_.empty(); }

  /// For the next launch: the tensor at this place gets the value of `from`. False where the two do not have the same dense memory layout,
  /// dtype and device; then nothing is copied.
  bool copy(std::size_t place, const at::Tensor& from);
  /// The same of memory of the host that the device reads, with that layout.
  void copy_from_host(std::size_t place, const void* from);
  /// The other way round. What is written by the copies of one launch must not overlap.
  bool copy_out(std::size_t place, const at::Tensor& to);
  /// The same of a value. False where it is complex.
  bool fill(std::size_t place, const c10::Scalar& value);
  /// Of an integer of eight bytes.
  void fill_integer(std::size_t place, uint64_t value);

  /// Before a launch of `exec`.
  void patch(cudaGraphExec_t exec);
  /// After it, or where there was none: what was asked for holds for one launch.
  void forget() noexcept;

 private:
  /// A tensor of the graph, with what is asked of it on each call.
  struct own_tensor {
    explicit own_tensor(const at::Tensor& tensor);
    bool has_layout_of(const at::Tensor& other) const;

    at::Tensor tensor;
    uint64_t address = 0, bytes = 0;
    bool is_contiguous = false;
  };
  /// One node, and the table in its parameters, a staging_table.
  struct part {
    part(at::ArrayRef<own_tensor> tensors, std::size_t capacity, std::size_t words);

    /// The words of the table.
    uint64_t* outside_of(std::size_t set) { return table.data() + staging_head(capacity) + set * capacity; }
    uint64_t* bytes_staged() { return outside_of(staging_sets(capacity) + 1); }
    uint64_t* memory_staged() { return outside_of(staging_sets(capacity) + 2); }
    /// Makes the table that of the next launch. False where it was that.
    bool update();
    /// The addresses of all entries but the last. False where they were those.
    bool select_set();

    cudaGraphNode_t node = nullptr;
    CUDA_KERNEL_NODE_PARAMS_v2 params{};  ///< but for the table
    dim3 grid;
    std::size_t entries, capacity;
    std::vector<uint64_t> table;                   ///< of the last launch
    std::vector<uint64_t> outside, bytes, memory;  ///< of the next one
    std::size_t memory_used = 0;                   ///< in words, by the next one
    std::size_t oldest_set = 0;
    bool is_patched = true;  ///< false where the driver refused the table
  };
  part make_part(std::size_t first, std::size_t count, std::size_t words) const;
  void stage(std::size_t place, uint64_t outside, uint64_t bytes);

  std::vector<own_tensor> tensors_;
  std::vector<part> parts_;
};

}  // namespace graphed::impl
