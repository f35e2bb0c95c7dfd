// SPDX-License-Identifier: Apache-2.0
//
// Modes of the thread under which a callable, or an operator, runs for the runtime rather than for its caller.
#pragma once

#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace graphed::impl {

/// Autocast caches its casts of weights. What runs here must neither use one from outside nor leave one there.
struct no_cached_casts {
  no_cached_casts() { at::autocast::clear_cache(); }
  ~no_cached_casts() { at::autocast::clear_cache(); }
  no_cached_casts& operator=(no_cached_casts&&) = delete;
};

/// Operators go past autograd and autocast, straight to their kernels.
struct below_autograd_and_autocast {
  at::AutoDispatchBelowADInplaceOrView autograd;
  c10::impl::ExcludeDispatchKeyGuard autocast{c10::autocast_dispatch_keyset};
};

}  // namespace graphed::impl
