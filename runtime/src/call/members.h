// SPDX-License-Identifier: Apache-2.0
//
// What is watched of a torch::nn::Module on each call, and of the object that a call's method belongs to, as a part of the call's key.
#pragma once

#include "torch/modes.h"

#include <graphed/impl/watched.h>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <optional>
#include <string>
#include <vector>

namespace graphed::impl {

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

/// What the callable itself does to a member of its object. A replay does not, and no key can hold what it leaves.
enum class assignment {
  none,     ///< when it last ran
  changed,  ///< when it last ran
  resized   ///< ever: it fills a list or a cache, whose elements belong to it
};
using assigned_members = std::vector<assignment>;

/// Numbers, which modules train, and which of their parameters require grad: each combination selects its own capture. Adds which modules
/// and tensors there are to `tensors`: a capture serves only these. Members that the callable assigns are left out.
void append_key(const WatchedMembers& members, const assigned_members& assigned, key_bytes& key, tensor_identities& tensors);
/// Of its modules' first tensors, or of its own tensors. One in host memory does not tell where the callable computes.
std::optional<c10::Device> accelerator_of(const WatchedMembers& members);
/// Those that are defined, with those of its modules, but for members that the callable assigns.
std::vector<at::Tensor> tensors_of(const WatchedMembers& members, const assigned_members& assigned);

/// What a run of the callable needs to be compared with what was there before.
class members_before {
 public:
  explicit members_before(const WatchedMembers& members);
  /// What was done since, beside what was done `earlier`.
  assigned_members compared_with(const WatchedMembers& after, const assigned_members& earlier) const;

 private:
  const WatchedMembers members_;     // which points to tensors that may be gone
  std::vector<at::Tensor> tensors_;  // kept, so that no other tensor takes the address
};

}  // namespace graphed::impl
