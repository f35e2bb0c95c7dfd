// SPDX-License-Identifier: Apache-2.0
//
// Whose turn it is to set the autograd state of tensors aside.
#pragma once

#include <vector>

namespace c10 {
struct TensorImpl;
}

namespace graphed::impl {

/// While it is held, no other thread holds one of these tensors. A thread may hold a tensor several times. Thread safety: all members, on
/// the thread that makes it.
class state_claim {
 public:
  /// Waits for other threads, but not forever (longest_wait): one of them may be waiting for this one.
  explicit state_claim(std::vector<const c10::TensorImpl*> tensors);
  ~state_claim();
  state_claim& operator=(state_claim&&) = delete;
  /// False where it has waited in vain, and holds nothing.
  explicit operator bool() const { return is_held_; }

 private:
  const std::vector<const c10::TensorImpl*> tensors_;
  const bool is_held_;
};

}  // namespace graphed::impl
