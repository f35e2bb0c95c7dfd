// SPDX-License-Identifier: Apache-2.0
//
// What one call provides besides its tensors.
#pragma once

#include "slot/padding.h"

#include <graphed/impl/scalars.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace graphed::impl {

class verification;

struct call_details {
  std::vector<Scalars::live_value> live;
  /// The call's sizes of the sample's padded variables, and its results as eager gives them; empty where the call has the sample's own
  /// shapes.
  std::vector<int64_t> sizes;
  std::vector<tensor_layout> results;
  std::shared_ptr<verification> verified;  ///< null: this call is not compared with the original function

  bool is_padded() const { return !sizes.empty(); }

  /// Of calls that provide nothing else: all share them, and nothing counts by whom.
  static std::shared_ptr<const call_details> of_most() {
    static const call_details shared;
    return {std::shared_ptr<void>(), &shared};
  }
};

}  // namespace graphed::impl
