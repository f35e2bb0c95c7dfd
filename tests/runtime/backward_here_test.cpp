// SPDX-License-Identifier: Apache-2.0
//
// graphed::BackwardHereGuard: which thread a backward runs on, and what the scope leaves.
#include "support/device_test.h"

#include <graphed/backward_here.h>

#include <c10/core/AutogradState.h>
#include <torch/autograd.h>

#include <optional>
#include <stdexcept>
#include <thread>

namespace backward_here_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(BackwardOnThisThread);

const std::vector<argument> arguments{{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}};
tensor_list product(tensor_list& in) { return {in[0].matmul(in[1]).tanh()}; }

bool is_multithreading() { return c10::AutogradState::get_tls_state().get_multithreading_enabled(); }

/// Notes the thread that a gradient comes to.
std::thread::id backward_thread(const Tensor& result, const std::function<void()>& backward) {
  std::thread::id seen;
  result.register_hook([&seen](const Tensor&) { seen = std::this_thread::get_id(); });
  backward();
  return seen;
}

TEST_P(BackwardOnThisThread, SameBits) {
  expect_same([](scenario& run) {
    subject f(run, arguments, product);
    const Tensor w = run.leaf({8, 4});
    for (int step = 0; step < 8; ++step) {
      std::optional<BackwardHereGuard> here;
      if (step % 4 != 3) {
        here.emplace();
      }
      const Tensor y = f({run.random({16, 8}), w})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(6, 6);
    f.expect_captures(1);
  });
}

TEST_P(BackwardOnThisThread, BackwardAndGradRunHere) {
  scenario run(device(), true);
  subject f(run, arguments, product);
  const Tensor w = run.leaf({8, 4});
  for (int step = 0; step < 5; ++step) {
    const Tensor y = f({run.random({16, 8}), w})[0];
    const Tensor z = f({run.random({16, 8}), w})[0];
    const BackwardHereGuard here;
    EXPECT_EQ(backward_thread(y, [&] { y.sum().backward(); }), std::this_thread::get_id());
    EXPECT_EQ(backward_thread(z, [&] { torch::autograd::grad({z.sum()}, {w}); }), std::this_thread::get_id());
  }
}

TEST_P(BackwardOnThisThread, OutsideOfTheScopeADeviceHasAThread) {
  scenario run(device(), true);
  subject f(run, arguments, product);
  const Tensor w = run.leaf({8, 4});
  for (int step = 0; step < 5; ++step) {
    const Tensor y = f({run.random({16, 8}), w})[0];
    {
      const BackwardHereGuard ended;
    }
    const auto thread = backward_thread(y, [&] { y.sum().backward(); });
    EXPECT_EQ(thread == std::this_thread::get_id(), device().is_cpu());
  }
}

TEST_P(BackwardOnThisThread, NestsAndPutsBack) {
  ASSERT_TRUE(is_multithreading());
  {
    const BackwardHereGuard outer;
    {
      const BackwardHereGuard inner;
      EXPECT_FALSE(is_multithreading());
    }
    EXPECT_FALSE(is_multithreading());
    bool elsewhere = false;
    std::thread([&] { elsewhere = is_multithreading(); }).join();
    EXPECT_TRUE(elsewhere);
  }
  EXPECT_TRUE(is_multithreading());
}

TEST_P(BackwardOnThisThread, EndsWithAnException) {
  scenario run(device(), true);
  const Tensor w = run.leaf({8, 4});
  w.register_hook([](const Tensor&) -> Tensor { throw std::runtime_error("a hook throws"); });
  try {
    const BackwardHereGuard here;
    w.sum().backward();
    ADD_FAILURE() << "the hook did not throw";
  } catch (const std::runtime_error&) {
    EXPECT_TRUE(is_multithreading());
  }
  EXPECT_TRUE(is_multithreading());
}

}  // namespace backward_here_test
