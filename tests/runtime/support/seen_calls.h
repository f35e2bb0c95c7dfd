// SPDX-License-Identifier: Apache-2.0
//
// A hook that remembers its calls.
#pragma once

#include "scenario.h"

#include <utility>

namespace graphed::testing {

/// What the hook of a tensor, which doubles its gradient, was called with since the last look.
class seen_calls {
 public:
  explicit seen_calls(const at::Tensor& tensor) { watch(tensor); }
  seen_calls() = default;
  seen_calls(const seen_calls&) = delete;

  void watch(const at::Tensor& tensor) {
    tensor.register_hook([this](const at::Tensor& gradient) {
      with_.push_back(gradient.defined() ? gradient.clone() : gradient);
      return gradient.defined() ? gradient * 2 : gradient;
    });
  }
  void take(scenario& run) {
    run.see("calls", with_.size());
    run.see("gradients", std::exchange(with_, {}));
  }

 private:
  tensor_list with_;
};

}  // namespace graphed::testing
