// SPDX-License-Identifier: Apache-2.0
//
// The backward on the thread that asks for it. On CUDA autograd hands each backward to a thread of the device and waits, which costs the
// host more than launching a graph does.
//
// Python: torch.autograd.set_multithreading_enabled(False).
#pragma once

#include <graphed/export.h>

namespace graphed {

/// While it lives, every backward() and grad() that this thread calls, through graphed callables or not, runs on this thread alone,
/// whatever devices its graph has work on. Values and streams are the same; a graph with work on several devices has its operators enqueued
/// one after another. What counts is the thread that calls backward(), not the one that made the graph. Throws nothing. Scopes nest: the
/// end puts back what was there before. Ends on the thread that it began on.
class GRAPHED_API BackwardHere {
 public:
  [[nodiscard]] BackwardHere() noexcept;
  ~BackwardHere();
  BackwardHere(const BackwardHere&) = delete;
  BackwardHere& operator=(const BackwardHere&) = delete;

 private:
  const bool multithreading_before_;
};

}  // namespace graphed
