// SPDX-License-Identifier: Apache-2.0
//
// Collectives of CPU tensors through the store that the ranks share: for tests, and to try a program on a machine without GPUs. A sum adds
// the values of the ranks in their order, so that its bits are the same on all ranks and each time.
#pragma once

#include "distributed/board.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <memory>
#include <string>
#include <vector>

namespace graphed::impl {

/// Every collective has ended when it returns. Tensors are dense, on the CPU.
class store_backend final : public c10d::Backend {
 public:
  explicit store_backend(std::shared_ptr<board> ranks);

  const std::string getBackendName() const override { return "graphed_store"; }
  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors, const c10d::AllreduceOptions& options) override;
  c10::intrusive_ptr<c10d::Work> allreduce_coalesced(std::vector<at::Tensor>& tensors,
                                                     const c10d::AllreduceCoalescedOptions& options) override;
  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& tensors, const c10d::BroadcastOptions& options) override;
  c10::intrusive_ptr<c10d::Work> _allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& options) override;
  c10::intrusive_ptr<c10d::Work> _reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                                      const c10d::ReduceScatterOptions& options) override;

 private:
  /// What each rank provides, with its tensors' bytes where it gives them. Throws Error where the tensors have different sizes, or the
  /// ranks replay different callables.
  std::vector<bytes> exchanged(const char* what, at::TensorList tensors, bool gives = true);

  const std::shared_ptr<board> board_;
};

}  // namespace graphed::impl
