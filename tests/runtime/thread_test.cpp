// SPDX-License-Identifier: Apache-2.0
//
// Calls from several threads, also while another one captures.
#include "support/streams.h"
#include "support/threads.h"

#include <torch/autograd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace thread_test {

GRAPHED_INSTANTIATE_DEVICE_TESTS(Thread);
INSTANTIATE_TEST_SUITE_P(WhileCapturing, Thread, ::testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

/// Calls until `f` is captured, as the calling thread's modes are, with its backward where it has one.
static void capture(test_callable& f, const tensor_list& arguments) {
  for (int call = 0; call < 4; ++call) {
    const Tensor y = f(arguments)[0];
    if (y.requires_grad()) {
      torch::autograd::grad({y.pow(2).sum()}, {arguments[1]});
    }
  }
}

/// Whether the gradients of 30 calls with a weight of the calling thread's are those of the original function.
static bool goes_back_as_plain(const scenario& run, test_callable& f) {
  const Tensor w = random(run, {8, 4}).requires_grad_();
  bool same = true;
  for (int step = 0; step < 30; ++step) {
    const Tensor x = random(run, {16, 8});
    const Tensor graphed = torch::autograd::grad({f({x, w})[0].pow(2).sum()}, {w})[0];
    same = same && same_bits(graphed, torch::autograd::grad({f.plain({x, w})[0].pow(2).sum()}, {w})[0]);
  }
  return same;
}

TEST_P(Thread, ConcurrentInference) {
  const scenario run(device(), true);
  test_callable f(arguments, layer);
  const Tensor w = random(run, {8, 4}).requires_grad_();
  {
    const c10::AutoGradMode no_grad(false);
    capture(f, {random(run, {16, 8}), w});
  }
  const auto meanwhile = others_capture();
  EXPECT_EQ(differing(4,
                      [&](int) {
                        const c10::AutoGradMode no_grad(false);
                        bool same = true;
                        for (int step = 0; step < 30; ++step) {
                          const Tensor x = random(run, {16, 8});
                          same = same && same_bits(f({x, w})[0], f.plain({x, w})[0]);
                        }
                        return same;
                      }),
            0);
  EXPECT_EQ(f.stats().calls, 124U);
  EXPECT_GT(f.stats().replays, 2U) << f.stats();
  EXPECT_EQ(f.stats().calls, f.stats().replays + f.stats().warmups + f.stats().miss_count()) << f.stats();
}

TEST_P(Thread, ConcurrentInferenceInASlotEach) {
  const scenario run(device(), true);
  settings one_each;
  one_each.slots = 4;
  test_callable f(arguments, layer, one_each);
  const Tensor w = random(run, {8, 4}).requires_grad_();
  {
    const c10::AutoGradMode no_grad(false);
    capture(f, {random(run, {16, 8}), w});
  }
  const auto meanwhile = others_capture();
  EXPECT_EQ(differing(4,
                      [&](int) {
                        const c10::AutoGradMode no_grad(false);
                        const Tensor x = random(run, {16, 8});
                        const Tensor expected = f.plain({x, w})[0];
                        bool same = true;
                        for (int step = 0; step < 100; ++step) {
                          same = same && same_bits(f({x, w})[0], expected);
                        }
                        return same;
                      }),
            0);
  EXPECT_EQ(f.misses(Miss::Slots), 0U) << f.stats();
}

TEST_P(Thread, OutputsHeldByOtherThreads) {
  const scenario run(device(), true);
  test_callable f(arguments, layer);
  const Tensor w = random(run, {8, 4}).requires_grad_();
  {
    const c10::AutoGradMode no_grad(false);
    capture(f, {random(run, {16, 8}), w});
  }
  const auto meanwhile = others_capture();
  EXPECT_EQ(differing(3,
                      [&](int) {
                        const c10::AutoGradMode no_grad(false);
                        tensor_list graphed, plain;
                        for (int step = 0; step < 20; ++step) {
                          const Tensor x = random(run, {16, 8});
                          graphed.push_back(f({x, w})[0]);
                          plain.push_back(f.plain({x, w})[0]);
                        }
                        bool same = true;
                        for (std::size_t i = 0; i < plain.size(); ++i) {
                          same = same && same_bits(graphed[i], plain[i]);
                        }
                        return same;
                      }),
            0);
}

TEST_P(Thread, ResetWhileOthersCall) {
  const scenario run(device(), true);
  test_callable f(arguments, layer, {1});
  const Tensor w = random(run, {8, 4}).requires_grad_();
  capture(f, {random(run, {16, 8}), w});
  const auto meanwhile = others_capture();
  std::atomic<bool> ended{false};
  std::thread resetting([&] {
    while (!ended) {
      f.reset();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  EXPECT_EQ(differing(3,
                      [&](int) {
                        bool same = true;
                        for (int step = 0; step < 100; ++step) {
                          const Tensor x = random(run, {16, 8});
                          const Tensor graphed = torch::autograd::grad({f({x, w})[0].pow(2).sum()}, {w})[0];
                          same = same && same_bits(graphed, torch::autograd::grad({f.plain({x, w})[0].pow(2).sum()}, {w})[0]);
                        }
                        return same;
                      }),
            0);
  ended = true;
  resetting.join();
}

TEST_P(Thread, TrainingInTwoThreads) {
  const scenario run(device(), true);
  test_callable f(arguments, layer);
  capture(f, {random(run, {16, 8}), random(run, {8, 4}).requires_grad_()});
  const auto before = f.stats().backward_replays;
  const auto meanwhile = others_capture();
  EXPECT_EQ(differing(2, [&](int) { return goes_back_as_plain(run, f); }), 0);
  EXPECT_GT(f.stats().backward_replays, before) << f.stats();
}

TEST_P(Thread, CallablesOfTheirOwnInEachThread) {
  const scenario run(device(), true);
  const auto meanwhile = others_capture();
  EXPECT_EQ(differing(3,
                      [&](int) {
                        test_callable f(arguments, layer);
                        const Tensor w = random(run, {8, 4}).requires_grad_();
                        bool same = true;
                        for (int step = 0; step < 20; ++step) {
                          const Tensor x = random(run, {16, 8});
                          f({x, w})[0].sum().backward();
                          const Tensor graphed = w.grad();
                          w.mutable_grad() = Tensor();
                          f.plain({x, w})[0].sum().backward();
                          same = same && same_bits(graphed, w.grad());
                          w.mutable_grad() = Tensor();
                        }
                        return same;
                      }),
            0);
}

// More than a device has orders for: some share one, with its cuBLAS workspace.
TEST_P(Thread, AStreamAndACallableEach) {
  const scenario run(device(), true);
  constexpr int threads = 6;
  std::vector<std::unique_ptr<test_callable>> callables;
  for (int i = 0; i < threads; ++i) {
    callables.push_back(std::make_unique<test_callable>(arguments, layer));
    capture(*callables.back(), {random(run, {16, 8}), random(run, {8, 4}).requires_grad_()});
  }
  if (!device().is_cpu()) {
    torch::cuda::synchronize();
  }
  const auto meanwhile = others_capture();
  EXPECT_EQ(differing(threads,
                      [&](int number) {
                        const test_stream own(run.device());
                        const auto current = own.make_current();
                        const bool same = goes_back_as_plain(run, *callables[static_cast<std::size_t>(number)]);
                        own.synchronize();
                        return same;
                      }),
            0);
  for (const auto& f : callables) {
    EXPECT_GE(f->stats().replays, 32U) << f->stats();
  }
}

TEST_P(Thread, BackwardInAnotherThreadThanTheForward) {
  expect_same([this](scenario& run) {
    subject f(run, arguments, layer);
    const Tensor w = run.leaf({8, 4});
    std::unique_ptr<held_capture> meanwhile;
    for (int step = 0; step < 6; ++step) {
      if (step == 3) {
        meanwhile = others_capture();
      }
      const Tensor loss = f({random(run, {16, 8}), w})[0].pow(2).sum();
      std::thread([&] { loss.backward(); }).join();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(4, 4);
  });
}

}  // namespace thread_test
