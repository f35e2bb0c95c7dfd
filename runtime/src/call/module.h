// SPDX-License-Identifier: Apache-2.0
//
// What is watched of a torch::nn::Module on each call: its parameters, buffers, and train/eval state.
#pragma once

#include "torch/modes.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace torch::nn {
class Module;
}

namespace graphed {

/// Which tensors and modules, in an order.
using tensor_identities = c10::SmallVector<const void*, 32>;

class watched_module {
 public:
  explicit watched_module(const torch::nn::Module* module) : module_(module) {}

  /// Which submodules train and which parameters require grad: each combination selects its own capture. Adds which tensors() there are to
  /// `tensors`: a capture serves only these.
  void append_key(key_bytes& key, tensor_identities& tensors) const;
  /// "train", "eval", or "2 of 5 modules train"; empty without a module.
  std::string training_words() const;
  /// Of its first parameter or buffer.
  std::optional<c10::Device> device() const;
  /// All parameters and buffers, submodules included, without those that are undefined.
  std::vector<at::Tensor> tensors() const;

 private:
  const torch::nn::Module* module_;
};

}  // namespace graphed
