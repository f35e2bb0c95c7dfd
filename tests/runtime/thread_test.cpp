// SPDX-License-Identifier: Apache-2.0
//
// Calls from several threads, also while another one captures.
#include "support/streams.h"
#include "support/threads.h"

#include <graphed/control_flow.h>
#include <graphed/host.h>

#include <ATen/ThreadLocalState.h>
#include <torch/autograd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <vector>

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

// As at::launch runs it, or a queue of the program's: with the state of the thread that has begun it.
TEST_P(Thread, WorkThatAWarmUpBeginsAndThatOutlivesIt) {
  const scenario run(device(), true);
  const Tensor x = random(run, {16, 8}), expected = x.mul(2).sum();
  std::promise<void> call_is_over;
  const auto over = call_is_over.get_future().share();
  std::future<bool> work;
  test_callable f({{"x", {16, 8}}}, [&](tensor_list& in) {
    if (!work.valid()) {
      work = std::async(std::launch::async, at::wrapPropagateTLSState([=] {
                          over.wait();
                          bool same = true;
                          for (int i = 0; i < 100; ++i) {
                            same = same && same_bits(x.mul(2).sum(), expected);
                          }
                          return same;
                        }));
    }
    return tensor_list{in[0] * 2};
  });
  f({x});
  std::vector<std::unique_ptr<std::vector<char>>> reused;  // the memory of what has ended
  for (std::size_t size = 16; size < 20000; size += 16) {
    reused.push_back(std::make_unique<std::vector<char>>(size, 'Z'));
  }
  call_is_over.set_value();
  EXPECT_TRUE(work.get());
  EXPECT_TRUE(same_bits(f({x})[0], x * 2));
}

TEST_P(Thread, WorkThatGoesOnWhileTheWarmUpsEndThatHaveBegunIt) {
  const scenario run(device(), true);
  const Tensor x = random(run, {16, 8}), expected = x.mul(2).sum();
  std::vector<std::future<bool>> works;
  test_callable f({{"x", {16, 8}}},
                  [&](tensor_list& in) {
                    works.push_back(std::async(std::launch::async, at::wrapPropagateTLSState([=] {
                                                 bool same = true;
                                                 for (int i = 0; i < 50; ++i) {
                                                   same = same && same_bits(x.mul(2).sum(), expected);
                                                 }
                                                 return same;
                                               })));
                    return tensor_list{in[0] * 2};
                  },
                  {1000});
  for (int call = 0; call < 60; ++call) {
    EXPECT_TRUE(same_bits(f({x})[0], x * 2));
  }
  for (auto& work : works) {
    EXPECT_TRUE(work.get());
  }
}

// The work is in a body of its own when the body that has begun it returns.
TEST_P(Thread, WorkThatABodyBeginsAndThatOutlivesTheBody) {
  const scenario run(device(), true);
  const collected_warnings warnings;
  const Tensor x = random(run, {16, 8}).abs(), on_host = at::ones({4}), doubled = on_host * 2;
  bool was_right = false;
  test_callable f({{"x", {16, 8}}}, [&](tensor_list& in) {
    std::promise<void> is_inside, body_is_over;
    std::atomic<bool> has_begun{false};
    std::future<Tensor> work;
    const auto inner = [&] {
      if (!has_begun.exchange(true)) {
        is_inside.set_value();
        body_is_over.get_future().wait();
      }
      return on_host * 2;
    };
    const auto in_a_body = [&] {
      try {
        return if_else(on_host.sum() > 0, inner, [&] { return on_host * 3; });
      } catch (...) {  // before it was inside
        if (!has_begun.exchange(true)) {
          is_inside.set_value();
        }
        throw;
      }
    };
    const Tensor y = if_else(
        in[0].sum() > 0,
        [&] {
          work = std::async(std::launch::async, at::wrapPropagateTLSState(in_a_body));
          is_inside.get_future().wait();
          return in[0] * 2;
        },
        [&] { return in[0] * 3; });
    body_is_over.set_value();
    const Tensor of_work = work.get();
    was_right = same_bits(of_work, doubled);
    return tensor_list{if_else(y.sum() > 0, [&] { return y + 1; }, [&] { return y - 1; })};
  });
  for (int call = 0; call < 6; ++call) {
    was_right = false;
    EXPECT_TRUE(same_bits(f({x})[0], x * 2 + 1)) << call;
    EXPECT_TRUE(was_right) << call;
  }
  EXPECT_EQ(f.stats().captures, 0U) << "no graph can hold what another thread decides";
  EXPECT_EQ(f.misses(Miss::Slots), 0U);
  if (device().is_cpu()) {
    EXPECT_GE(warnings.count({"graphed::if_else or graphed::while_loop runs on another thread than the callable"}), 1U) << warnings.all();
  }
}

TEST_P(Thread, HostPartsOfWorkThatGoesOnWhileTheWarmUpsEndThatHaveBegunIt) {
  const scenario run(device(), true);
  const Tensor x = random(run, {16, 8}), number = at::ones({4});
  std::vector<std::future<bool>> works;
  settings without_captures;
  without_captures.warmup = 1000;
  test_callable f(
      {{"x", {16, 8}}},
      [&](tensor_list& in) {
        works.push_back(std::async(std::launch::async, at::wrapPropagateTLSState([=] {
                                     bool same = true;
                                     for (int i = 0; i < 30; ++i) {
                                       const Tensor copy = host([=] { return number.clone(); });
                                       same = same && same_bits(copy, number);
                                     }
                                     return same;
                                   })));
        return tensor_list{in[0] * host([] { return 2.0; }).like(in[0])};
      },
      without_captures);
  for (int call = 0; call < 60; ++call) {
    EXPECT_TRUE(same_bits(f({x})[0], x * 2));
  }
  for (auto& work : works) {
    EXPECT_TRUE(work.get());
  }
}

TEST_P(Thread, TakesItsOwnSlotWhereAnotherThreadsIsFreeAsWell) {
  const scenario run(device(), true);
  settings two_slots;
  two_slots.slots = 2;
  test_callable f({{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0] * 2}; }, two_slots);
  const Tensor x = random(run, {16, 8});
  capture(f, {x});
  Tensor held = f({x})[0];
  std::thread([&] {
    f({x});  // captures, since the first slot's result is held
    const void* const place = f({x})[0].const_data_ptr();
    EXPECT_NE(place, held.const_data_ptr());
    held.reset();
    EXPECT_EQ(f({x})[0].const_data_ptr(), place);
  }).join();
  EXPECT_EQ(f.stats().captures, 2U) << f.stats();
}

// Most systems give the name of a thread that has ended to the next one.
TEST_P(Thread, ANewThreadIsAnotherOneThanThatWhichHasEnded) {
  const scenario run(device(), true);
  settings one_slot;
  one_slot.slots = 1;
  test_callable f({{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0] * 2}; }, one_slot);
  const Tensor x = random(run, {16, 8}), other = random(run, {16, 8});
  for (int call = 0; call < 4; ++call) {
    f({x});
  }
  Tensor held;
  std::thread::id ended, next;
  std::thread([&] {
    held = f({x})[0];
    ended = std::this_thread::get_id();
  }).join();
  const void* const place = held.const_data_ptr();
  std::thread([&] {
    EXPECT_TRUE(same_bits(f({other})[0], other * 2));
    next = std::this_thread::get_id();
  }).join();
  EXPECT_EQ(held.const_data_ptr(), place) << "what another thread may be reading";
  EXPECT_TRUE(same_bits(held, x * 2));
  if (next == ended) {
    EXPECT_EQ(f.misses(Miss::Slots), 1U) << f.stats();
  }
}

}  // namespace thread_test
