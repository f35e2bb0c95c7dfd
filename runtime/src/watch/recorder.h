// SPDX-License-Identifier: Apache-2.0
//
// The recorder: meets the operators of a thread in the dispatcher and shows them to the recording that is active there.
#pragma once

#include "torch/interception.h"
#include "watch/recording.h"

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
#include <c10/util/ThreadLocalDebugInfo.h>

namespace graphed {

/// While it lives, operators of this thread, and of autograd threads that work for it, are shown to `seen`.
class recording_scope {
 public:
  explicit recording_scope(recording& seen);
  ~recording_scope();
  recording_scope(const recording_scope&) = delete;
  recording_scope& operator=(const recording_scope&) = delete;

 private:
  c10::DebugInfoGuard info_;
  const at::CallbackHandle backwards_;
  interception_scope operators_;
};

/// While it lives, no recording sees the operators of this thread.
class unrecorded_scope {
 public:
  unrecorded_scope();

 private:
  interception_pause operators_;
};

/// The recording that is active on this thread, or null.
recording* active_recording();
/// The parameter's `.grad`, of which the active recording, where there is one, learns that the callable decides by it.
const at::Tensor& gradient_of(const at::Tensor& parameter);
/// Whether this thread works for a capture of the runtime.
bool inside_capture();

}  // namespace graphed
