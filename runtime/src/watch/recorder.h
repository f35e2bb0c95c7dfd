// SPDX-License-Identifier: Apache-2.0
//
// The recorder: shows the operators of a thread to the recording that is active there. It meets them in the dispatcher, or, where others
// have taken that place, learns of them by LibTorch's RecordFunction.
#pragma once

#include "torch/interception.h"
#include "watch/recording.h"

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <memory>
#include <optional>
#include <vector>

namespace graphed::impl {

class recording_info;

/// While it lives, operators of this thread, and of threads that work for it with its state, are shown to `seen`. Then the recording ends:
/// work that took over the state and goes on is not shown.
class recording_scope {
 public:
  explicit recording_scope(const std::shared_ptr<recording>& seen);
  ~recording_scope();
  recording_scope& operator=(recording_scope&&) = delete;

 private:
  const std::shared_ptr<recording_info> shown_;
  c10::DebugInfoGuard info_;
  std::optional<c10::DebugInfoGuard> allocations_;
  std::vector<at::CallbackHandle> callbacks_;
  std::optional<at::RecordFunctionGuard> told_;
  std::optional<interception_scope> operators_;
};

/// Whether exit() has destroyed this thread's storage, which the end of a recording_scope needs.
bool is_thread_over();

/// While it lives, no recording sees the operators of this thread.
class unrecorded_scope {
 public:
  unrecorded_scope();
  ~unrecorded_scope();
  unrecorded_scope& operator=(unrecorded_scope&&) = delete;

 private:
  interception_pause operators_;
};

/// While it lives, this thread has no active recording.
class hidden_recording {
 public:
  hidden_recording();
  hidden_recording& operator=(hidden_recording&&) = delete;

 private:
  c10::DebugInfoGuard none_;
};

/// Whether operators are met in the dispatcher, as a recording's recorders need it. Where not, CaptureError says so.
bool are_operators_met();
void require_operators_met();
/// For tests: recordings that begin from now on learn of operators as they do where the place is taken, but for their recorders.
void tell_by_record_function(bool always);

/// The recording that is active on this thread, or null. Where the thread works for another one, which does not wait for it, the recording
/// may end meanwhile, and then notes no more operators.
std::shared_ptr<recording> active_recording();
/// The same for what only the run itself may do: null on a thread that works for it without being waited for. The recording's own thread
/// and autograd's, while they run a node, are waited for.
std::shared_ptr<recording> own_recording();
/// The parameter's `.grad`, of which the active recording, where there is one, learns that the callable uses it.
const at::Tensor& gradient_of(const at::Tensor& parameter);
/// Whether this thread works for a capture of the runtime.
bool inside_capture();

}  // namespace graphed::impl
