// SPDX-License-Identifier: Apache-2.0
//
// Calls from several threads, and a capture while another thread captures.
#include "support/device_test.h"

#include <graphed/capture.h>
#include <graphed/hooks.h>

#include <torch/autograd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <thread>
#include <utility>

namespace thread_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Thread);

const std::vector<argument> arguments{{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}};

Tensor layer_of(const Tensor& x, const Tensor& w) { return x.matmul(w).tanh(); }

tensor_list layer(tensor_list& in) { return {layer_of(in[0], in[1])}; }

/// Random numbers from the host: LibTorch's CUDA generator refuses to draw in one thread while another one captures.
Tensor random(const scenario& run, at::IntArrayRef sizes) { return at::randn(sizes).to(run.device()); }

/// Runs `work` in `count` threads, each with its number, and tells how many of them found a difference.
int differing(int count, const std::function<bool(int)>& work) {
  std::atomic<int> different{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      const collected_warnings quiet;
      try {
        if (!work(i)) {
          ++different;
        }
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  return different;
}

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

/// Holds what `f` has returned, on a thread of its own, until it dies.
class holding_thread {
 public:
  holding_thread(test_callable& f, const tensor_list& arguments, int calls)
      : thread_([this, &f, arguments, calls] {
          tensor_list held;
          for (int step = 0; step < calls; ++step) {
            held.clear();
            held = f(arguments);
          }
          holds_.set_value();
          leave_.get_future().wait();
        }) {
    holds_.get_future().wait();
  }
  ~holding_thread() {
    leave_.set_value();
    thread_.join();
  }

 private:
  std::promise<void> holds_, leave_;
  std::thread thread_;
};

// A capture on a tape is the call: the plain callable must not run a second time, and no later call may get what that one computed.
TEST_P(Thread, CaptureIntoAPoolInWhichAnotherThreadAwaitsABackward) {
  const scenario run(device(), true);
  settings shared;
  shared.pool = "thread_test.awaited";
  test_callable other(arguments, layer, shared);
  int runs = 0;
  test_callable f(arguments, [&](tensor_list& in) { return ++runs, layer(in); }, shared);
  const Tensor w = run.leaf({8, 4});
  std::optional<holding_thread> awaits(std::in_place, other, tensor_list{run.random({16, 8}), w}, 3);
  for (int call = 1; call <= 5; ++call) {
    const Tensor x = run.random({16, 8});
    const int before = runs;
    const Tensor y = f({x, w})[0];
    EXPECT_LE(runs, before + (device().is_cpu() ? 1 : 2)) << "call " << call;
    EXPECT_TRUE(same_bits(y, layer_of(x, w))) << "call " << call;
    if (call == 3) {  // that captured
      awaits.reset();
    }
  }
  EXPECT_EQ(f.stats().captures, 1U) << f.stats();
  EXPECT_EQ(f.stats().calls, f.stats().replays + f.stats().warmups + f.stats().miss_count()) << f.stats();
}

TEST_P(Thread, BackwardIntoAPoolInWhichAnotherThreadAwaitsABackward) {
  const scenario run(device(), true);
  settings shared;
  shared.pool = "thread_test.awaited_backward";
  test_callable other(arguments, layer, shared), f(arguments, layer, shared);
  const Tensor w = run.leaf({8, 4});
  for (int call = 0; call < 3; ++call) {
    f({run.random({16, 8}), w});
  }
  std::optional<holding_thread> awaits;
  for (int call = 0; call < 3; ++call) {
    const Tensor x = run.random({16, 8});
    const Tensor loss = f({x, w})[0].pow(2).sum();
    if (call == 0) {
      awaits.emplace(other, tensor_list{x, w}, 3);
    }
    EXPECT_TRUE(same_bits(torch::autograd::grad({loss}, {w})[0], torch::autograd::grad({layer_of(x, w).pow(2).sum()}, {w})[0])) << call;
    awaits.reset();
  }
  EXPECT_EQ(f.stats().backward_captures, 1U) << f.stats();
}

/// Its backward waits once, for as long as somebody else likes.
struct waits_in_backward : torch::autograd::Function<waits_in_backward> {
  struct latch : torch::CustomClassHolder {
    std::promise<void> inside, leave;
    bool is_open = false;
  };
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, latch* held) {
    context->saved_data["latch"] = reinterpret_cast<int64_t>(held);
    return x.clone();
  }
  static tensor_list backward(torch::autograd::AutogradContext* context, const tensor_list& gradients) {
    auto& held = *reinterpret_cast<latch*>(context->saved_data["latch"].toInt());
    if (!std::exchange(held.is_open, true)) {
      held.inside.set_value();
      held.leave.get_future().wait();
    }
    return {gradients[0] * 2, Tensor()};
  }
};

// It moves results that the other thread may be handing out, of backwards to which that thread may add one.
TEST_P(Thread, CallOfAPoolInWhichAnotherThreadGoesBack) {
  const scenario run(device(), true);
  settings shared;
  shared.pool = "thread_test.going_back";
  waits_in_backward::latch latch;
  test_callable f(
      arguments, [&](tensor_list& in) { return tensor_list{waits_in_backward::apply(layer_of(in[0], in[1]), &latch)}; }, shared);
  test_callable other(arguments, layer, shared);
  const Tensor w = run.leaf({8, 4}), x = run.random({16, 8});
  for (int call = 0; call < 3; ++call) {
    f({x, w});
    other({x, w});
  }
  const Tensor loss = f({x, w})[0].pow(2).sum();
  std::thread going_back([&] { loss.backward(); });
  latch.inside.get_future().wait();
  const uint64_t before = other.stats().replays;
  const Tensor meanwhile = other({x, w})[0];
  EXPECT_EQ(other.stats().replays, before) << other.stats();
  latch.leave.set_value();
  going_back.join();
  EXPECT_TRUE(same_bits(meanwhile, layer_of(x, w)));
  EXPECT_TRUE(same_bits(w.grad(), torch::autograd::grad({layer_of(x, w).pow(2).sum()}, {w})[0] * 2));
  EXPECT_TRUE(same_bits(other({x, w})[0], layer_of(x, w)));
  EXPECT_EQ(other.stats().replays, before + 1) << other.stats();
}

TEST_P(Thread, CallsOfAPoolWhileAnotherThreadGoesBack) {
  const scenario run(device(), true);
  settings shared;
  shared.pool = "thread_test.patterns";
  const auto heads = [](tensor_list& in) {
    return tensor_list{layer_of(in[0], in[1]), in[0].matmul(in[1]), in[0].matmul(in[1]).sigmoid(), in[0].matmul(in[1]).sin()};
  };
  test_callable f(arguments, heads, shared), other(arguments, layer, shared);
  const Tensor w = run.leaf({8, 4}), x = run.random({16, 8});
  for (int call = 0; call < 3; ++call) {
    f({x, w});
    other({x, w});
  }
  for (unsigned pattern = 1; pattern < 16; ++pattern) {
    const auto loss_of = [&](const tensor_list& results) {
      Tensor loss = at::zeros({}, run.options());
      for (std::size_t i = 0; i < results.size(); ++i) {
        loss = (pattern >> i & 1U) != 0 ? loss + results[i].sum() : loss;
      }
      return loss;
    };
    const Tensor loss = loss_of(f({x, w})), expected = loss_of(f.plain({x, w}));
    Tensor gradient;
    std::thread going_back([&] { gradient = torch::autograd::grad({loss}, {w})[0]; });
    for (int call = 0; call < 20; ++call) {
      const tensor_list held = other({x, w});
    }
    going_back.join();
    EXPECT_TRUE(same_bits(gradient, torch::autograd::grad({expected}, {w})[0])) << pattern;
  }
}

/// A callable that waits at the end of its capture, on a thread of its own, until it is let go on.
class held_capture {
 public:
  held_capture(const Tensor& x, const std::function<Tensor(const Tensor&)>& body)
      : f_({{"x", x.sizes().vec()}}, [this, body](tensor_list& in) {
          const Tensor result = body(in[0]);
          if (++runs_ == 3) {
            inside_.set_value();
            leave_.get_future().wait();
          }
          return tensor_list{result};
        }) {
    f_({x}), f_({x});
    capturing_ = std::thread([this, x] { result_ = f_({x})[0]; });
    inside_.get_future().wait();
  }
  ~held_capture() {
    if (capturing_.joinable()) {
      finish();
    }
  }
  const Tensor& finish() {
    leave_.set_value();
    capturing_.join();
    return result_;
  }
  test_callable& callable() { return f_; }

 private:
  int runs_ = 0;
  std::promise<void> inside_, leave_;
  test_callable f_;
  Tensor result_;
  std::thread capturing_;
};

// Its accumulators, hooks and versions are the caller's throughout: what began before, in and after the capture goes on.
TEST_P(Thread, EagerTrainingOnTheSameLeafDuringACapture) {
  const scenario run(device(), true);
  const Tensor w = run.leaf({8, 4}), x = run.random({16, 8});
  const Tensor once = torch::autograd::grad({layer_of(x, w).sum()}, {w})[0];
  int hooks = 0;
  w.register_hook([&hooks](const Tensor&) { ++hooks; });
  const Tensor before = layer_of(x, w).sum();
  held_capture capture(x, [w](const Tensor& in) { return layer_of(in, w); });
  before.backward();
  EXPECT_TRUE(same_bits(w.grad(), once)) << "a graph from before the capture";
  layer_of(x, w).sum().backward();
  EXPECT_TRUE(same_bits(w.grad(), once + once)) << "a graph that begins and ends within it";
  const Tensor within = layer_of(x, w).sum();
  const auto version = w._version();
  const Tensor& result = capture.finish();
  EXPECT_TRUE(same_bits(result, layer_of(x, w)));
  EXPECT_EQ(w._version(), version);
  within.backward();
  EXPECT_TRUE(same_bits(w.grad(), once + once + once)) << "a graph that ends after it";
  EXPECT_EQ(hooks, 3);
  w.mutable_grad() = Tensor();
  result.sum().backward();
  EXPECT_TRUE(same_bits(w.grad(), once));
  EXPECT_EQ(hooks, 4);
  EXPECT_EQ(capture.callable().stats().captures, 1U) << capture.callable().stats();
}

TEST_P(Thread, UpdateOfTheSameLeafDuringACapture) {
  const scenario run(device(), true);
  const Tensor w = run.leaf({8, 4}), x = run.random({16, 8}), other = run.leaf({16, 8});
  held_capture capture(x, [w](const Tensor& in) { return layer_of(in, w); });
  const Tensor stale = layer_of(other, w).sum();
  {
    const c10::AutoGradMode no_grad(false);
    w.add_(1);
  }
  EXPECT_ANY_THROW(stale.backward()) << "the update counts as one";
  capture.finish();
  const Tensor expected = layer_of(x, w).sum();
  const Tensor graphed = capture.callable()({x})[0].sum();
  EXPECT_TRUE(same_bits(graphed, expected));
  EXPECT_TRUE(same_bits(torch::autograd::grad({graphed}, {w})[0], torch::autograd::grad({expected}, {w})[0]));
}

// Ones, whose sums are exact in any order.
TEST_P(Thread, GradientsOfOneLeafFromTwoThreadsWhileAThirdOneCaptures) {
  const scenario run(device(), true);
  constexpr int64_t size = 100000;
  constexpr int calls = 500, captured_calls = 3;
  const std::vector<argument> both{{"x", {size}}, {"w", {size}, at::kFloat, true}};
  const auto product = [](tensor_list& in) { return tensor_list{(in[0] * in[1]).sum()}; };
  test_callable first(both, product), second(both, product);
  const Tensor w = at::ones({size}, run.options()).requires_grad_(), x = at::ones({size}, run.options());
  for (int call = 0; call < captured_calls; ++call) {
    first({x, w})[0].backward(), second({x, w})[0].backward();
  }
  const Tensor from_before = first({x, w})[0];
  held_capture capture(x, [w](const Tensor& in) { return (in * w).sum(); });
  EXPECT_EQ(differing(2,
                      [&](int number) {
                        for (int call = 0; call < calls; ++call) {
                          if (number == 0) {
                            from_before.backward({}, /*retain_graph=*/true);
                          } else {
                            second({x, w})[0].backward();
                          }
                        }
                        return true;
                      }),
            0);
  EXPECT_TRUE(at::equal(w.grad(), at::full({size}, 2 * (calls + captured_calls), run.options()))) << w.grad().min() << w.grad().max();
}

TEST_P(Thread, EagerWorkOfAnotherThreadDuringACapture) {
  const scenario run(device(), true);
  std::promise<void> inside, leave;
  int calls = 0;
  test_callable slow(arguments, [&](tensor_list& in) {
    if (++calls == 3) {
      inside.set_value();
      leave.get_future().wait();
    }
    return layer(in);
  });
  const Tensor w = run.leaf({8, 4}), x = run.random({16, 8});
  const Tensor expected = slow.plain({x, w})[0];
  calls = 0;
  for (int step = 0; step < 2; ++step) {
    slow({x, w});
  }
  tensor_list results;
  std::thread capturing([&] {
    for (int step = 0; step < 3; ++step) {
      results.push_back(slow({x, w})[0].detach());
    }
  });
  inside.get_future().wait();
  Tensor eager = x;
  for (int step = 0; step < 20; ++step) {
    eager = (eager * 1.01).tanh();
  }
  leave.set_value();
  capturing.join();
  for (const auto& result : results) {
    EXPECT_TRUE(same_bits(result, expected.detach()));
  }
  EXPECT_EQ(slow.stats().captures, 1U) << slow.stats();
  EXPECT_EQ(slow.stats().failed_captures, 0U) << slow.stats();
  EXPECT_TRUE(eager.isfinite().all().item<bool>());
}

// On CUDA the backward of a new pattern waits, on autograd's thread of the device, for the end of the capture, which calls autograd.
TEST_P(Thread, CaptureOfACallableThatCallsAutogradWhileAnotherThreadsBackwardIsNew) {
  const scenario run(device(), true);
  std::promise<void> capturing;
  std::atomic<int> runs{0};
  test_callable energy({{"x", {16, 8}, at::kFloat, true}}, [&](tensor_list& in) {
    if (++runs == 3) {  // after two warm-ups
      capturing.set_value();
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    const Tensor total = in[0].tanh().pow(2).sum();
    return torch::autograd::grad({total}, {in[0]}, {}, std::nullopt, /*create_graph=*/true);
  });
  test_callable f(arguments, layer);
  const Tensor w = random(run, {8, 4}).requires_grad_();
  const Tensor x = random(run, {16, 8});
  for (int step = 0; step < 2; ++step) {
    f({x, w});
  }
  const Tensor flying = f({x, w})[0];
  std::thread other([&] {
    capturing.get_future().wait();
    flying.sum().backward();
  });
  const Tensor position = random(run, {16, 8}).requires_grad_();
  for (int step = 0; step < 3; ++step) {
    EXPECT_TRUE(same_bits(energy({position})[0], energy.plain({position})[0]));
  }
  other.join();
  EXPECT_EQ(energy.stats().captures, 1U) << energy.stats() << warnings_.all();
  EXPECT_TRUE(same_bits(w.grad(), torch::autograd::grad({f.plain({x, w})[0].sum()}, {w})[0]));
}

/// A call in flight, whose backward, the first of its pattern, runs on another thread once a capture has begun.
class backward_during_a_capture {
 public:
  backward_during_a_capture(const Tensor& x, const Tensor& w) : f_(arguments, layer), x_(x), w_(w) {
    f_({x, w}), f_({x, w});
    const Tensor loss = f_({x, w})[0].sum();
    thread_ = std::thread([this, loss] {
      begun_.get_future().wait();
      gradient_ = torch::autograd::grad({loss}, {w_})[0];
    });
    hook_ = add_hook(graph_event::capture_begin, [this](const event_info&) {
      if (!is_told_.exchange(true)) {
        begun_.set_value();
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
      }
    });
  }
  ~backward_during_a_capture() {
    hook_.remove();
    thread_.join();
    EXPECT_TRUE(same_bits(gradient_, torch::autograd::grad({layer_of(x_, w_).sum()}, {w_})[0]));
  }

 private:
  test_callable f_;
  const Tensor x_, w_;
  std::promise<void> begun_;
  std::atomic<bool> is_told_{false};
  std::thread thread_;
  Tensor gradient_;
  hook_handle hook_;
};

// On CUDA both need autograd's thread of the device.
TEST_P(Thread, PrepareWhileAnotherThreadsBackwardIsNew) {
  const scenario run(device(), true);
  const Tensor x = run.random({16, 8}), w = run.leaf({8, 4});
  test_callable prepared(arguments, layer);
  {
    const backward_during_a_capture other(x, w);
    prepared.prepare({x, w});
  }
  const Tensor y = prepared({x, w})[0];
  const Tensor ones = at::ones_like(y);
  EXPECT_TRUE(same_bits(torch::autograd::grad({y}, {w}, {ones})[0], torch::autograd::grad({layer_of(x, w)}, {w}, {ones})[0]));
  EXPECT_EQ(prepared.stats().backward_captures, 1U) << prepared.stats();
}

TEST_P(Thread, StandaloneCaptureOfABackwardWhileAnotherThreadsIsNew) {
  const scenario run(device(), true);
  const Tensor x = run.random({16, 8}), w = run.leaf({8, 4}), mine = run.leaf({8, 4});
  torch::autograd::grad({layer_of(x, mine).sum()}, {mine});  // libraries are warm
  Graph graph(device());
  Tensor gradient;
  {
    const backward_during_a_capture other(x, w);
    const capture capturing(graph);
    gradient = torch::autograd::grad({layer_of(x, mine).sum()}, {mine})[0];
  }
  graph.instantiate().replay();
  EXPECT_TRUE(same_bits(gradient, torch::autograd::grad({layer_of(x, mine).sum()}, {mine})[0]));
}

}  // namespace thread_test
