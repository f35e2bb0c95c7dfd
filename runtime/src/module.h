// SPDX-License-Identifier: Apache-2.0
//
// What is watched of a torch::nn::Module on each call: its parameters, buffers, and train/eval state.
#pragma once

#include "modes.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

namespace torch::nn {
class Module;
}

namespace graphed {

class watched_module {
 public:
  explicit watched_module(const torch::nn::Module* module) : module_(module) {}

  /// Which submodules train and which parameters require grad: each combination selects its own capture.
  void append_key(key_bytes& key) const;
  /// Of its first parameter or buffer.
  std::optional<c10::Device> device() const;
  /// All parameters and buffers, submodules included, without those that are undefined.
  std::vector<at::Tensor> tensors() const;
  /// Which they are.
  std::vector<const c10::TensorImpl*> identities() const;
  /// Whether `impls` are the parameters and buffers still, in the order of tensors().
  bool has_exactly(const std::vector<const c10::TensorImpl*>& impls) const;

 private:
  const torch::nn::Module* module_;
};

}  // namespace graphed
