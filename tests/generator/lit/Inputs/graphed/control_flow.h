// SPDX-License-Identifier: Apache-2.0
//
// Declares what scans see of the runtime's graphed/control_flow.h, without LibTorch.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace graphed {
namespace impl {
bool is_true(const torch::Tensor& pred);
}

template <class Then, class Otherwise>
auto if_else(const torch::Tensor& pred, Then then, Otherwise otherwise) {
  return impl::is_true(pred) ? then() : otherwise();
}

template <class Cond, class Body, class State>
State while_loop(Cond cond, Body body, State state, int64_t at_most) {
  for (int64_t times = 0; times < at_most && impl::is_true(cond(state)); ++times) {
    state = body(state);
  }
  return state;
}
}  // namespace graphed
