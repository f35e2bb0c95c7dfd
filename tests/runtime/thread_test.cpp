// SPDX-License-Identifier: Apache-2.0
//
// Calls from several threads, and a capture while another thread captures.
#include "support/threads.h"

#include <torch/autograd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace thread_test {

GRAPHED_INSTANTIATE_DEVICE_TESTS(Thread);

TEST_P(Thread, ConcurrentInference) {
  const scenario run(device(), true);
  test_callable f(arguments, layer);
  const Tensor w = random(run, {8, 4}).requires_grad_();
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
  EXPECT_EQ(f.stats().calls, 120U);
  EXPECT_GT(f.stats().replays, 0U) << f.stats();
  EXPECT_EQ(f.stats().calls, f.stats().replays + f.stats().warmups + f.stats().miss_count()) << f.stats();
}

TEST_P(Thread, ConcurrentInferenceInASlotEach) {
  const scenario run(device(), true);
  settings one_each;
  one_each.slots = 4;
  test_callable f(arguments, layer, one_each);
  const Tensor w = random(run, {8, 4}).requires_grad_();
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
  EXPECT_EQ(f.misses(miss::slots), 0U) << f.stats();
}

TEST_P(Thread, OutputsHeldByOtherThreads) {
  const scenario run(device(), true);
  test_callable f(arguments, layer);
  const Tensor w = random(run, {8, 4}).requires_grad_();
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

// As a backward would that another thread is in.
TEST_P(Thread, GradientGivenWhileAnotherThreadCaptures) {
  const scenario run(device(), true);
  const Tensor w = random(run, {8, 4}).requires_grad_(), gradient = random(run, {8, 4}), x = random(run, {16, 8});
  int runs = 0;
  test_callable f({{"x", {16, 8}}},
                  [&](tensor_list& in) {
                    if (++runs == 3) {
                      std::thread([&] { w.mutable_grad() = gradient; }).join();
                    }
                    return tensor_list{in[0].matmul(w).tanh()};
                  },
                  {2});
  for (int call = 0; call < 4; ++call) {
    EXPECT_TRUE(same_bits(f({x})[0], x.matmul(w).tanh()));
  }
  EXPECT_EQ(f.stats().captures, 1U) << f.stats();
  ASSERT_TRUE(w.grad().defined());
  EXPECT_TRUE(w.grad().is_same(gradient));
}

TEST_P(Thread, ResetWhileOthersCall) {
  const scenario run(device(), true);
  test_callable f(arguments, layer, {1});
  const Tensor w = random(run, {8, 4}).requires_grad_();
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
  EXPECT_EQ(differing(2,
                      [&](int) {
                        const Tensor w = random(run, {8, 4}).requires_grad_();
                        bool same = true;
                        for (int step = 0; step < 30; ++step) {
                          const Tensor x = random(run, {16, 8});
                          const Tensor graphed = torch::autograd::grad({f({x, w})[0].pow(2).sum()}, {w})[0];
                          same = same && same_bits(graphed, torch::autograd::grad({f.plain({x, w})[0].pow(2).sum()}, {w})[0]);
                        }
                        return same;
                      }),
            0);
  EXPECT_GT(f.stats().backward_replays, 0U) << f.stats();
}

TEST_P(Thread, CallablesOfTheirOwnInEachThread) {
  const scenario run(device(), true);
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

TEST_P(Thread, BackwardInAnotherThreadThanTheForward) {
  expect_same([](scenario& run) {
    subject f(run, arguments, layer);
    const Tensor w = run.leaf({8, 4});
    for (int step = 0; step < 6; ++step) {
      const Tensor loss = f({run.random({16, 8}), w})[0].pow(2).sum();
      std::thread([&] { loss.backward(); }).join();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(Thread, CaptureWhileAnotherThreadCaptures) {
  const scenario run(device(), true);
  std::promise<void> inside, leave;
  int calls = 0;
  test_callable slow(arguments, [&](tensor_list& in) {
    const auto results = layer(in);
    if (++calls == 3) {
      inside.set_value();
      leave.get_future().wait();
    }
    return results;
  });
  test_callable other(arguments, layer);
  const Tensor w = run.leaf({8, 4}), x = run.random({16, 8});
  const Tensor expected = other.plain({x, w})[0];
  for (int step = 0; step < 2; ++step) {
    slow({x, w}), other({x, w});
  }
  Tensor from_slow;
  std::thread capturing([&] { from_slow = slow({x, w})[0]; });
  inside.get_future().wait();
  const Tensor meanwhile = other({x, w})[0];
  leave.set_value();
  capturing.join();
  EXPECT_EQ(other.misses(miss::capture_busy), 1U) << other.stats();
  EXPECT_EQ(slow.stats().captures, 1U) << slow.stats();
  EXPECT_TRUE(same_bits(meanwhile, expected));
  EXPECT_TRUE(same_bits(from_slow, expected));
  for (int step = 0; step < 2; ++step) {
    EXPECT_TRUE(same_bits(other({x, w})[0], expected));
  }
  EXPECT_EQ(other.stats().captures, 1U) << other.stats();
}

}  // namespace thread_test
