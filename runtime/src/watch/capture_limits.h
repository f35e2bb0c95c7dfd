// SPDX-License-Identifier: Apache-2.0
//
// Refuses in a capture what its replays would not do, and reports what they would freeze.
#pragma once

#include "watch/observer.h"

#include <string>

namespace graphed::impl {

class outside_watch;

class capture_limits final : public observer {
 public:
  /// Keeps a reference.
  explicit capture_limits(const outside_watch& outside) : outside_(outside) {}
  /// Throws CaptureError.
  void before(const operator_call& call) override;

 private:
  const outside_watch& outside_;
};

/// How torch::optim's optimizers step a parameter: by an operator that takes the learning rate as a number. A capture freezes that.
class frozen_update_watch final : public observer {
 public:
  /// Keeps a reference.
  explicit frozen_update_watch(const outside_watch& outside) : outside_(outside) {}
  void before(const operator_call& call) override;
  /// In words, the first operator that stepped a parameter by other numbers than one, and its number; else empty. The average of two
  /// parameters is not a step.
  const std::string& found() const { return found_; }

 private:
  const outside_watch& outside_;
  std::string found_;
};

}  // namespace graphed::impl
