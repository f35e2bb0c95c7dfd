// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace graphed::fuzz {

/// What all programs of a run have in common.
struct conditions {
  bool has_threads = false;  ///< they run side by side, so that none draws from LibTorch's generators
  bool in_flight = false;    ///< several calls come before their backwards; tensors are dropped, and others made
  bool is_ahead = false;     ///< the host never waits: values are compared at the end
};

}  // namespace graphed::fuzz
