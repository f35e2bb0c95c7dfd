// SPDX-License-Identifier: Apache-2.0
//
// What the tests of branches and loops on the device share.
#pragma once

#include "step.h"

#include <graphed/control_flow.h>

#include <functional>

namespace graphed::testing {

inline constexpr int calls = 10;

using computation = std::function<at::Tensor(const at::Tensor& x, const at::Tensor& weight)>;

struct named {
  const char* name;
  computation body;
};

/// With the gradient of the weight, where there is one.
inline void see_calls(scenario& run, const computation& body, bool is_captured) {
  const at::Tensor weight = run.leaf({2, 2});
  subject callable(run, {{"x", {2, 2}}}, [&](tensor_list& in) { return tensor_list{body(in[0], weight)}; });
  uint64_t backwards = 0;
  for (int call = 0; call < calls; ++call) {
    const at::Tensor y = callable({run.random({2, 2})})[0];
    run.see("y", y);
    if (y.requires_grad()) {
      y.sum().backward();
      run.see_grad("weight", weight);
      backwards += call < 2 ? 0 : 1;
    }
  }
  callable.expect_replays(is_captured ? calls - 2 : 0, is_captured ? backwards : 0);
}

}  // namespace graphed::testing
