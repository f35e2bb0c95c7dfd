// SPDX-License-Identifier: Apache-2.0
//
// How long results stay valid: `outputs = ...` of an annotation.
#pragma once

namespace graphed {

/// How long a returned tensor stays valid.
enum class OutputPolicy {
  Keep,   ///< as long as the caller holds it: its bytes move to fresh memory before a replay would overwrite them
  Alias,  ///< until the next call: it shows the graph's own memory
  Clone,  ///< as long as the caller holds it: copied on each call
  Host,   ///< the same, in the memory of the host: written there by the end of the graph
};

}  // namespace graphed
