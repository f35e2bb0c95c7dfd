// SPDX-License-Identifier: Apache-2.0
//
// Modes of the thread under which a callable runs for the runtime rather than for its caller.
#pragma once

#include <ATen/autocast_mode.h>

namespace graphed {

/// Autocast caches its casts of weights. What runs here must neither use one from outside nor leave one there.
struct no_cached_casts {
  no_cached_casts() { at::autocast::clear_cache(); }
  ~no_cached_casts() { at::autocast::clear_cache(); }
  no_cached_casts(const no_cached_casts&) = delete;
  no_cached_casts& operator=(const no_cached_casts&) = delete;
};

}  // namespace graphed
