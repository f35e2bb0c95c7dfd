// SPDX-License-Identifier: Apache-2.0
//
// The modes of the thread and of the process that decide what a callable computes: each combination selects its own capture. And those in
// which a callable, or an operator, runs for the runtime rather than for its caller.
#pragma once

#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/SmallVector.h>

namespace graphed::impl {

/// What selects a capture of a callable, as bytes.
using key_bytes = c10::SmallVector<char, 512>;

/// Grad mode, inference mode, autocast and its dtype, the device, and the context's settings of precision, determinism and kernel choice.
void append_mode_key(key_bytes& key, c10::Device device);

/// Whether autocast keeps its casts of weights on this thread.
bool caches_casts(c10::Device device);
/// Then: whether it casts this tensor again at each use all the same, since it is not a weight.
bool is_cast_anew(const at::Tensor& tensor);

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

/// What meets the operators of a thread before their kernels do: autograd, autocast.
class dispatch_modes {
 public:
  static dispatch_modes of_this_thread() { return {}; }
  /// While it lives, they meet this thread's operators as well, and nothing else does.
  struct scope : c10::impl::ForceDispatchKeyGuard {
    explicit scope(const dispatch_modes& modes) : ForceDispatchKeyGuard(modes.keys_) {}
  };

 private:
  dispatch_modes() = default;
  c10::impl::LocalDispatchKeySet keys_ = c10::impl::tls_local_dispatch_key_set();
};

/// Whatever calls it, a call, a warm-up or a replay: what runs here has neither gradients nor autocast, and inference mode as its caller.
struct host_modes {
  c10::impl::ForceDispatchKeyGuard usual{c10::default_included_set, c10::default_excluded_set};
  c10::InferenceMode same{c10::InferenceMode::is_enabled()};
  c10::NoGradGuard no_grad;
};

/// Whether anomaly mode has autograd look at each gradient for NaN, which reads on the host.
bool looks_for_nan();
inline constexpr char words_of_anomaly_mode[] = "anomaly mode looks for NaN, on the host, after each node of a backward";

/// Whether the settings are between the context's members that the key relies on, as its accessors show.
bool are_settings_in_place();

}  // namespace graphed::impl
