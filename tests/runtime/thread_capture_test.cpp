// SPDX-License-Identifier: Apache-2.0
//
// What threads do while another one captures.
#include "support/threads.h"

#include <graphed/capture.h>
#include <graphed/hooks.h>

#include <torch/autograd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace thread_test {

GRAPHED_INSTANTIATE_DEVICE_TESTS(DuringACapture);

// Its accumulators, hooks and versions are the caller's throughout: what began before, in and after the capture goes on.
TEST_P(DuringACapture, EagerTrainingOnTheSameLeafDuringACapture) {
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

TEST_P(DuringACapture, UpdateOfTheSameLeafDuringACapture) {
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
TEST_P(DuringACapture, GradientsOfOneLeafFromTwoThreadsWhileAThirdOneCaptures) {
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

TEST_P(DuringACapture, EagerWorkOfAnotherThreadDuringACapture) {
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
TEST_P(DuringACapture, CaptureOfACallableThatCallsAutogradWhileAnotherThreadsBackwardIsNew) {
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

// Two callables that call autograd are captured on their own tensors. The second one's capture waits for the first one's backward, as on
// CUDA it does wherever autograd's thread of the device is in it.
TEST_P(DuringACapture, CaptureThatWaitsForABackwardOverOtherTensors) {
  const scenario run(device(), true);
  std::promise<void> capturing, gone_back;
  std::atomic<int> runs{0};
  const auto force_with = [&](const Tensor& w, std::function<void()> last) {
    return std::make_unique<test_callable>(
        std::vector<argument>{{"x", {16, 8}, at::kFloat, true}}, [w, last = std::move(last)](tensor_list& in) {
          const Tensor energy = in[0].matmul(w).tanh().pow(2).sum();
          const tensor_list force = torch::autograd::grad({energy}, {in[0]}, {}, std::nullopt, /*create_graph=*/true);
          last();
          return force;
        });
  };
  const Tensor of_one = run.leaf({8, 4}), of_other = run.leaf({8, 4});
  const auto one = force_with(of_one, [] {});
  bool waits = false;
  const auto other = force_with(of_other, [&] {
    if (++runs == 3) {  // after two warm-ups
      capturing.set_value();
      waits = gone_back.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready;
    }
  });
  const Tensor x = run.random({16, 8}).requires_grad_();
  for (int step = 0; step < 2; ++step) {
    (*one)({x});
  }
  const Tensor flying = (*one)({x})[0];
  std::thread backward([&] {
    capturing.get_future().wait();
    flying.pow(2).sum().backward({}, std::nullopt, /*create_graph=*/false, /*inputs=*/tensor_list{of_one});
    gone_back.set_value();
  });
  for (int step = 0; step < 3; ++step) {
    EXPECT_TRUE(same_bits((*other)({x})[0], other->plain({x})[0]));
  }
  backward.join();
  EXPECT_TRUE(waits);
  EXPECT_EQ(one->stats().captures, 1U) << one->stats() << warnings_.all();
  EXPECT_EQ(other->stats().captures, 1U) << other->stats() << warnings_.all();
  EXPECT_TRUE(same_bits(of_one.grad(), torch::autograd::grad({one->plain({x})[0].pow(2).sum()}, {of_one})[0]));
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
    hook_ = add_hook(GraphEvent::CaptureBegin, [this](const EventInfo&) {
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
  HookHandle hook_;
};

// On CUDA both need autograd's thread of the device.
TEST_P(DuringACapture, PrepareWhileAnotherThreadsBackwardIsNew) {
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

TEST_P(DuringACapture, StandaloneCaptureOfABackwardWhileAnotherThreadsIsNew) {
  const scenario run(device(), true);
  const Tensor x = run.random({16, 8}), w = run.leaf({8, 4}), mine = run.leaf({8, 4});
  torch::autograd::grad({layer_of(x, mine).sum()}, {mine});  // libraries are warm
  Graph graph(device());
  Tensor gradient;
  {
    const backward_during_a_capture other(x, w);
    const CaptureGuard capturing(graph);
    gradient = torch::autograd::grad({layer_of(x, mine).sum()}, {mine})[0];
  }
  graph.instantiate().replay();
  EXPECT_TRUE(same_bits(gradient, torch::autograd::grad({layer_of(x, mine).sum()}, {mine})[0]));
}

// In LibTorch 2.11 a CUDA generator that is captured refuses them.
TEST_P(DuringACapture, NumbersThatOtherThreadsDraw) {
  const scenario run(device(), true);
  const Tensor x = run.random({16, 8});
  const auto draw = [&] {
    tensor_list drawn;
    for (int step = 0; step < 20; ++step) {
      drawn.push_back(at::randn({5}, run.options()));
      drawn.push_back(at::dropout(x, 0.5, /*train=*/true));
    }
    return drawn;
  };
  at::manual_seed(3);
  held_capture capture(x, [](const Tensor& in) { return in.tanh(); });
  const tensor_list within = draw();
  EXPECT_EQ(differing(3, [&](int) { return !draw().empty(); }), 0);
  EXPECT_TRUE(same_bits(capture.finish(), x.tanh()));
  at::manual_seed(3);
  const tensor_list after = draw();
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_TRUE(same_bits(within[i], after[i])) << i;
  }
}

static std::string capture_error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const CaptureError& error) {
    return error.what();
  }
  return "no capture_error";
}

// Whose callable may be waiting for these threads.
TEST_P(DuringACapture, WhatWaitsForACaptureWithoutEndThrowsAfterHalfAMinute) {
  const scenario run(device(), true);
  const Tensor x = run.random({16, 8}), w = run.leaf({8, 4});
  Graph before(device(), /*keep_graph=*/true), graph(device());
  Tensor y;
  {
    const graphed::CaptureGuard capturing(before);
    y = x.tanh();
  }
  test_callable prepared(arguments, layer);
  {
    const held_capture other(x, [](const Tensor& in) { return in.tanh(); });
    const std::vector<std::function<void()>> waiting{[&] { prepared.prepare({x, w}); }, [&] { const graphed::CaptureGuard begun(graph); },
                                                     [&] { before.instantiate(); }};
    std::vector<std::future<std::string>> errors;
    for (const auto& work : waiting) {
      errors.push_back(std::async(std::launch::async, capture_error_of, work));
    }
    for (auto& error : errors) {
      const std::string text = error.get();
      EXPECT_NE(text.find("it has waited 30 seconds for another thread's capture, which may be waiting for it"), std::string::npos) << text;
    }
  }
  prepared.prepare({x, w});
  EXPECT_TRUE(same_bits(prepared({x, w})[0], layer_of(x, w)));
  EXPECT_EQ(prepared.stats().replays, 1U) << prepared.stats();
  {
    const graphed::CaptureGuard begun(graph);
    y = x.tanh();
  }
  graph.instantiate().replay();
  EXPECT_TRUE(same_bits(y, x.tanh()));
}

TEST_P(DuringACapture, PrepareWaitsForAnotherThreadsCapture) {
  const scenario run(device(), true);
  const Tensor x = run.random({16, 8}), w = run.leaf({8, 4});
  test_callable prepared(arguments, layer);
  held_capture other(x, [](const Tensor& in) { return in.tanh(); });
  auto preparing = std::async(std::launch::async, [&] { prepared.prepare({x, w}); });
  EXPECT_EQ(preparing.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  other.finish();
  EXPECT_NO_THROW(preparing.get());
  EXPECT_TRUE(same_bits(prepared({x, w})[0], layer_of(x, w)));
  EXPECT_EQ(prepared.stats().replays, 1U) << prepared.stats();
}

// As a backward would that another thread is in.
TEST_P(DuringACapture, GradientGivenByAnotherThread) {
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

TEST_P(DuringACapture, AnotherCallableIsCapturedLater) {
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
  EXPECT_EQ(other.misses(Miss::CaptureBusy), 1U) << other.stats();
  EXPECT_EQ(slow.stats().captures, 1U) << slow.stats();
  EXPECT_TRUE(same_bits(meanwhile, expected));
  EXPECT_TRUE(same_bits(from_slow, expected));
  for (int step = 0; step < 2; ++step) {
    EXPECT_TRUE(same_bits(other({x, w})[0], expected));
  }
  EXPECT_EQ(other.stats().captures, 1U) << other.stats();
}

}  // namespace thread_test
