// SPDX-License-Identifier: Apache-2.0
//
// What a program has hung on tensors and on leaves' accumulators, to see or change gradients.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/edge.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace graphed::impl {

/// The hooks of a leaf. None takes the place of another that was removed, so that these numbers show a change.
struct hook_counts {
  std::size_t registered = 0;  ///< ever
  std::size_t present = 0;
  std::size_t after_accumulation = 0;  ///< the number of that hook, or 0
  bool operator==(const hook_counts& other) const {
    return registered == other.registered && present == other.present && after_accumulation == other.after_accumulation;
  }
};

hook_counts count_hooks(const at::Tensor& leaf);
/// A leaf has one hook after accumulation at most, and the next one may get the address of one that was removed. This one gets a number.
void number_hook_after_accumulation(const at::Tensor& leaf);

/// Whether a hook of the tensor sees its gradient.
bool has_tensor_hooks(const at::Tensor& tensor);
/// Whether the accumulator that the leaf has now calls hooks of its own.
bool has_accumulator_hooks(const at::Tensor& leaf);
/// Whether either sees the gradient of the leaf that an edge leads to. False where it leads to another node.
bool leads_to_hooks(const torch::autograd::Edge& edge);
/// Whether any hook runs as a leaf gets its gradient.
bool is_watched(torch::autograd::AccumulateGrad& accumulator);

/// While it lives, the tensor has no hooks but those that it gets meanwhile. Keeps a reference.
class hooks_aside {
 public:
  explicit hooks_aside(const at::Tensor& tensor);
  ~hooks_aside();
  hooks_aside& operator=(hooks_aside&&) = delete;

 private:
  const at::Tensor& tensor_;
  std::vector<std::unique_ptr<torch::autograd::FunctionPreHook>> hooks_;
};

}  // namespace graphed::impl
