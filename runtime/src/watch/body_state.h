// SPDX-License-Identifier: Apache-2.0
//
// What is around a body of a branch or loop, and must be after it as it was before: no operator shows that a body changes it.
#pragma once

#include "torch/modes.h"
#include "watch/outside_watch.h"

#include <c10/core/Device.h>

#include <optional>

namespace graphed::impl {

/// While a body runs. Autocast's casts of weights are the body's own: others would use what it has made, or it what another body has.
class state_around_body {
 public:
  explicit state_around_body(c10::Device device);

  /// In a capture, throws CaptureError where the body has left another grad mode, or in a step has let a leaf's `.grad` be another tensor
  /// or none.
  void check() const;

 private:
  const bool has_history_;
  gradients_by_leaf gradients_;
  std::optional<no_cached_casts> own_casts_;
};

}  // namespace graphed::impl
