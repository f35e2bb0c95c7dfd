// SPDX-License-Identifier: Apache-2.0
//
// What one call brings besides its tensors.
#pragma once

#include <graphed/scalars.h>

#include <cstdint>
#include <vector>

namespace graphed {

struct call_details {
  std::vector<scalars::live_value> live;
  /// The call's sizes of the sample's padded variables, and the shapes of its results; empty where the call has the sample's own shapes.
  std::vector<int64_t> sizes;
  std::vector<std::vector<int64_t>> result_shapes;

  bool is_padded() const { return !sizes.empty(); }
};

}  // namespace graphed
