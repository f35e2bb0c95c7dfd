// SPDX-License-Identifier: Apache-2.0
//
// Where another library meets operators at the recorder's place in the dispatcher before the runtime does. Then graphs are captured without
// it on a GPU, and calls run eagerly on a CPU. Both say so.
#include "support/device_test.h"

#include <torch/library.h>

namespace taken_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Taken);

TORCH_LIBRARY_IMPL(_, Fake, other) { other.fallback(torch::CppFunction::makeFallthrough()); }

void expect_as_eager(c10::Device device, const std::vector<argument>& arguments, const test_callable::body& body, uint64_t replays) {
  expect_same(device, [&](scenario& run) {
    subject f(run, arguments, body);
    for (int step = 0; step < 7; ++step) {
      const Tensor x = run.random({16, 8});
      run.see("y", f({x}));
      run.see("x", x);
    }
    f.expect_replays(replays);
  });
}

TEST_P(Taken, ByAnotherLibrary) {
  const bool is_captured = !device().is_cpu();
  expect_same([&](scenario& run) {
    const Tensor w = run.leaf({8, 4}), total = run.random({16, 4});
    subject f(run, {{"x", {16, 8}}}, [&](tensor_list& in) {
      const Tensor y = at::dropout(in[0].matmul(w).tanh(), 0.5, /*train=*/true);
      total.add_(y.detach());
      return tensor_list{y};
    });
    for (int step = 0; step < 7; ++step) {
      const Tensor y = f({run.random({16, 8})})[0];
      run.see("y", y);
      run.see("total", total);
      y.sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(is_captured ? 5 : 0, is_captured ? 5 : 0);
    f.expect_captures(is_captured ? 1 : 0);
  });
  static std::size_t told = 0;  // once in a process
  told += warnings_.count({"has taken the place in LibTorch's dispatcher", "RecordFunction",
                           link_to("start/install.md#where-another-library-intercepts-operators")});
  EXPECT_EQ(told, 1U) << warnings_.all();
  EXPECT_EQ(warnings_.count({"test_callable", "operators on a CPU are recorded", link_to("explanation/failure.md")}), is_captured ? 0U : 1U)
      << warnings_.all();
}

TEST_P(Taken, RefusalsHold) {
  expect_as_eager(device(), {{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].add_(1)}; }, 0);
  const Tensor host = at::rand({8});
  const auto reads_host_memory = [&](tensor_list& in) { return tensor_list{in[0] + host.to(in[0].device())}; };
  expect_as_eager(device(), {{"x", {16, 8}}}, reads_host_memory, 0);
}

}  // namespace taken_test
