// SPDX-License-Identifier: Apache-2.0
//
// What a call's object holds, as a part of the call's key.
#pragma once

#include "call/module.h"

#include <graphed/watched.h>

#include <c10/core/Device.h>

#include <optional>
#include <vector>

namespace graphed {

/// What the callable itself does to a member of its object. A replay does not, and no key can hold what it leaves.
enum class assignment {
  none,     ///< when it last ran
  changed,  ///< when it last ran
  resized   ///< ever: it fills a list or a cache, whose elements belong to it
};
using assigned_members = std::vector<assignment>;

/// Numbers, which modules train, and which of their parameters require grad: each combination selects its own capture. Adds which modules
/// and tensors there are to `tensors`: a capture serves only these. Members that the callable assigns are left out.
void append_key(const watched_members& members, const assigned_members& assigned, key_bytes& key, tensor_identities& tensors);
/// Of its modules' first tensors, or of its own tensors. One in host memory does not tell where the callable computes.
std::optional<c10::Device> accelerator_of(const watched_members& members);
/// Those that are defined, with those of its modules, but for members that the callable assigns.
std::vector<at::Tensor> tensors_of(const watched_members& members, const assigned_members& assigned);

/// What a run of the callable needs to be compared with what was there before.
class members_before {
 public:
  explicit members_before(const watched_members& members);
  /// What was done since, beside what was done `earlier`.
  assigned_members compared_with(const watched_members& after, const assigned_members& earlier) const;

 private:
  std::vector<const torch::nn::Module*> modules_;
  std::vector<at::Tensor> tensors_;  // kept, so that no other tensor takes the address
  std::vector<char> bytes_;
  std::vector<watched_members::ends> members_;
};

}  // namespace graphed
