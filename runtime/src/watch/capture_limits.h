// SPDX-License-Identifier: Apache-2.0
//
// Refuses in a capture what its replays would not do.
#pragma once

#include "watch/observer.h"

namespace graphed {

class outside_watch;

class capture_limits final : public observer {
 public:
  /// Keeps a reference.
  explicit capture_limits(const outside_watch& outside) : outside_(outside) {}
  /// Throws capture_error.
  void before(const operator_call& call) override;

 private:
  const outside_watch& outside_;
};

}  // namespace graphed
