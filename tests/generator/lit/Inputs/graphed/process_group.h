// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for the runtime's process groups, and for those of c10d that they are made of.
#pragma once

#include <torch/torch.h>

#include <vector>

namespace c10d {
struct Work {
  bool wait();
};
struct AllreduceOptions {};
class Backend {
 public:
  int getRank() const;
  virtual Work* allreduce(std::vector<torch::Tensor>& tensors, const AllreduceOptions& options = AllreduceOptions());
  virtual Work* barrier();
};
class ProcessGroupNCCL : public Backend {
 public:
  Work* allreduce(std::vector<torch::Tensor>& tensors, const AllreduceOptions& options = AllreduceOptions()) override;
};
}  // namespace c10d

namespace graphed {
enum class ReduceOp { Sum, Max };
class ProcessGroup {
 public:
  int rank() const;
  int size() const;
  void barrier();
  void average_gradients(const std::vector<torch::Tensor>& parameters);
  void all_reduce_(const torch::Tensor& tensor, ReduceOp op = ReduceOp::Sum);
  void broadcast_(const torch::Tensor& tensor, int source = 0);
};
}  // namespace graphed
