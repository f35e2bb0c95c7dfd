// SPDX-License-Identifier: Apache-2.0
//
// The backward on the thread that asks for it. On CUDA autograd hands each backward to a thread of the device and waits, which costs the
// host more than launching a graph does.
//
// Python: torch.autograd.set_multithreading_enabled(False).
#pragma once

#include <c10/core/AutogradState.h>

namespace graphed {

/// While it lives, every backward() and grad() that this thread calls, through graphed callables or not, runs on this thread alone,
/// whatever devices its graph has work on. Values and streams are the same; a graph with work on several devices has its operators enqueued
/// one after another. What counts is the thread that calls backward(), not the one that made the graph. Throws nothing. Scopes nest: the
/// end restores the setting before. Ends on the thread that it began on.
class BackwardHereGuard {
 public:
  [[nodiscard]] BackwardHereGuard() noexcept : multithreading_before_(c10::AutogradState::get_tls_state().get_multithreading_enabled()) {
    c10::AutogradState::get_tls_state().set_multithreading_enabled(false);
  }
  ~BackwardHereGuard() { c10::AutogradState::get_tls_state().set_multithreading_enabled(multithreading_before_); }
  BackwardHereGuard& operator=(BackwardHereGuard&&) = delete;

 private:
  const bool multithreading_before_;
};

}  // namespace graphed
