// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace graphed::fuzz {

/// What all programs of a run have in common.
struct conditions {
  /// They run side by side. None draws from LibTorch's generators. None uses autocast, whose dtype and cache of casts all threads share.
  /// None asks for gradients in its body: nodes that the engine's thread makes for all of them have its numbers, by which the gradients of
  /// several calls are summed, while those of a graph have the caller's.
  bool has_threads = false;
  bool in_flight = false;  ///< several calls come before their backwards; tensors are dropped, and others made
  bool is_ahead = false;   ///< the host never waits: values are compared at the end
};

}  // namespace graphed::fuzz
