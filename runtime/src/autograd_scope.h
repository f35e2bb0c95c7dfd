// SPDX-License-Identifier: Apache-2.0
//
// Modes of the thread under which a callable runs for the runtime rather than for its caller.
#pragma once

#include <ATen/autocast_mode.h>
#include <c10/core/AutogradState.h>

namespace graphed {

/// Autocast caches its casts of weights. What runs here must neither use one from outside nor leave one there.
struct no_cached_casts {
  no_cached_casts() { at::autocast::clear_cache(); }
  ~no_cached_casts() { at::autocast::clear_cache(); }
  no_cached_casts(const no_cached_casts&) = delete;
  no_cached_casts& operator=(const no_cached_casts&) = delete;
};

/// Autograd that the callable itself calls runs on this thread: on CUDA, the thread that it would run on may be waiting for this capture.
class autograd_here {
 public:
  autograd_here() { c10::AutogradState::get_tls_state().set_multithreading_enabled(false); }
  ~autograd_here() { c10::AutogradState::get_tls_state().set_multithreading_enabled(before_); }
  autograd_here(const autograd_here&) = delete;
  autograd_here& operator=(const autograd_here&) = delete;

 private:
  const bool before_ = c10::AutogradState::get_tls_state().get_multithreading_enabled();
};

}  // namespace graphed
