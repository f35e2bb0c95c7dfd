// SPDX-License-Identifier: Apache-2.0
//
// Calls of several threads into one pool.
#include "support/threads.h"

#include <torch/autograd.h>

#include <future>
#include <optional>
#include <thread>
#include <utility>

namespace thread_test {

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

// A capture on a tape is the call: the original function must not run a second time, and no later call may get what that one computed.
TEST_P(Thread, CaptureIntoAPoolInWhichAnotherThreadAwaitsABackward) {
  const scenario run(device(), true);
  settings shared;
  shared.pool = "thread_test.awaited";
  test_callable other(arguments, layer, shared);
  int runs = 0;
  test_callable f(arguments, [&](tensor_list& in) { return ++runs, layer(in); }, shared);
  const Tensor w = run.leaf({8, 4});
  std::optional<holding_thread> awaits(std::in_place, other, tensor_list{run.random({16, 8}), w}, 3);
  std::unique_ptr<held_capture> meanwhile;
  for (int call = 1; call <= 5; ++call) {
    if (call == 4) {
      meanwhile = others_capture();
    }
    const Tensor x = random(run, {16, 8});
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
  std::unique_ptr<held_capture> meanwhile;
  for (int call = 0; call < 3; ++call) {
    if (call == 1) {
      meanwhile = others_capture();
    }
    const Tensor x = random(run, {16, 8});
    const Tensor loss = f({x, w})[0].pow(2).sum();
    if (call == 0) {
      awaits.emplace(other, tensor_list{x, w}, 3);
    }
    EXPECT_TRUE(same_bits(torch::autograd::grad({loss}, {w})[0], torch::autograd::grad({layer_of(x, w).pow(2).sum()}, {w})[0])) << call;
    awaits.reset();
  }
  EXPECT_EQ(f.stats().backward_captures, 1U) << f.stats();
}

/// Its backward waits once, for as long as the test wants.
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

// It moves results that the other thread may be returning, of backwards to which that thread adds one: it captures.
TEST_P(DuringACapture, CallOfAPoolInWhichAnotherThreadGoesBack) {
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
  const auto meanwhile = others_capture();
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

}  // namespace thread_test
