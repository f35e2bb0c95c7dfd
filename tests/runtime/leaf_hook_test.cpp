// SPDX-License-Identifier: Apache-2.0
//
// Hooks of leaves that a callable closes over or gets: how often they are called, and with what.
#include "support/device_test.h"

namespace leaf_hook_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(LeafHook);

TEST_P(LeafHook, OfALeafFrozenSinceTheForwardRunsOnce) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({4}), b = run.leaf({4});
    int calls = 0;
    const unsigned hook = w.register_hook([&calls](const Tensor& gradient) { return ++calls, gradient * 2; });
    subject f(run, {{"x", {16, 4}}}, [&](tensor_list& in) { return tensor_list{in[0] * w + b}; });
    for (int step = 0; step < 8; ++step) {
      const Tensor y = f({run.random({16, 4})})[0];
      w.requires_grad_(step != 2);
      y.sum().backward();
      w.requires_grad_(true);
      run.see("calls", calls);
      run.see_grad("w.grad", w);
      run.see_grad("b.grad", b);
      if (step == 5) {
        w.remove_hook(hook);
      }
    }
    f.expect_replays(6, 6);
  });
}

}  // namespace leaf_hook_test
