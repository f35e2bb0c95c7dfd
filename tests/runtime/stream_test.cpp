// SPDX-License-Identifier: Apache-2.0
//
// Callables on streams of their own compute what they compute on one.
#include "support/device_test.h"
#include "support/lag.h"
#include "support/streams.h"

#include <graphed/impl/stream_hook.h>

#include <torch/autograd.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace stream_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Stream);

const std::vector<argument> arguments{{"x", {64, 256}}, {"w", {256, 64}, at::kFloat, true}};

tensor_list noisy_layer(tensor_list& in) { return {at::dropout(in[0].matmul(in[1]).tanh(), 0.5, true)}; }

// Random numbers are one sequence, in the order of the calls.
TEST_P(Stream, CallablesOnAStreamEachDrawEagersNumbers) {
  expect_same([](scenario& run) {
    subject f(run, arguments, noisy_layer), g(run, arguments, noisy_layer);
    const test_stream first(run.device()), second(run.device());
    const Tensor x = run.random({64, 256}), v = run.leaf({256, 64}), w = run.leaf({256, 64});
    for (int step = 0; step < 8; ++step) {
      Tensor y, z;
      if (!run.device().is_cpu()) {
        torch::cuda::synchronize();
      }
      {
        const auto current = first.make_current();
        y = f({x, v})[0];
        y.sum().backward();
      }
      {
        const auto current = second.make_current();
        z = g({x, w})[0];
        z.sum().backward();
      }
      first.synchronize();
      second.synchronize();
      run.see("y", y.clone());
      run.see("z", z.clone());
      run.see_grad("v.grad", v);
      run.see_grad("w.grad", w);
    }
    f.expect_replays(6, 6);
    g.expect_replays(6, 6);
  });
}

// Each is ordered with its own calls alone.
TEST_P(Stream, CallablesThatChangeStreamsWithEachCall) {
  expect_same([](scenario& run) {
    subject f(run, arguments, noisy_layer), g(run, arguments, noisy_layer);
    const test_stream first(run.device()), second(run.device());
    const Tensor x = run.random({64, 256}), w = run.random({256, 64}).requires_grad_();
    std::vector<Tensor> results;
    if (!run.device().is_cpu()) {
      torch::cuda::synchronize();
    }
    const c10::AutoGradMode no_grad(false);
    for (int step = 0; step < 12; ++step) {
      const auto current = (step % 3 == 0 ? first : second).make_current();
      results.push_back(f({x, w})[0].clone());
      results.push_back(g({x, w})[0].clone());
    }
    first.synchronize();
    second.synchronize();
    run.see("results", results);
    f.expect_replays(10);
    g.expect_replays(10);
  });
}

// What a warm-up saves for the backward belongs to the caller's stream, which uses its memory again as soon as the engine has let go of it,
// though the device may not have come to the backward yet. The later call's backward comes first.
TEST_P(Stream, AWarmUpsBackwardMayComeLate) {
  expect_same([](scenario& run) {
    run.look_at_the_end();
    subject f(run, {{"x", {64, 64}}, {"w", {64, 64}, at::kFloat, true}}, [](tensor_list& in) {
      const Tensor y = in[0] * in[1];
      y.register_hook([device = in[0].device()](const Tensor&) { lag(device); });
      return tensor_list{y};
    });
    const Tensor w = run.leaf({64, 64});
    for (int step = 0; step < 3; ++step) {
      Tensor first = f({run.random({64, 64}), w})[0];
      for (int i = 0; i < 20; ++i) {
        first = (first * 1.01).tanh() + run.random({64, 64});
      }
      const Tensor loss = first.square().mean() + f({run.random({64, 64}), w})[0].square().mean();
      first.reset();
      loss.backward();
      run.see_grad("w.grad", w);
    }
  });
}

/// The uses of a device's streams that the runtime has reported while it lives.
class told_uses {
 public:
  told_uses() : before_(set_stream_hook(note)) { take(); }
  ~told_uses() { set_stream_hook(before_); }
  told_uses& operator=(told_uses&&) = delete;

  /// Since the last question, in their order.
  static std::vector<StreamUse> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(uses_, {});
  }

 private:
  static void note(const c10::Stream& /*stream*/, StreamUse use) {
    const std::lock_guard lock(mutex_);
    uses_.push_back(use);
  }

  static inline std::mutex mutex_;
  static inline std::vector<StreamUse> uses_;
  const StreamHook before_;
};

// Tests that let streams lag behind rely on it.
TEST_P(Stream, AHookIsToldOfEachUse) {
  using uses = std::vector<StreamUse>;
  const uses warm_up{StreamUse::WarmUp, StreamUse::WarmedUp}, replay{StreamUse::Stage, StreamUse::Launch, StreamUse::Launched};
  const scenario run(device(), true);
  subject f(run, arguments, noisy_layer);
  const Tensor x = run.random({64, 256}), w = run.leaf({256, 64});
  const told_uses told;
  for (int step = 0; step < 2; ++step) {
    const Tensor y = f({x, w})[0];
    EXPECT_EQ(told.take(), warm_up);
    y.sum().backward();
    EXPECT_EQ(told.take(), uses()) << "it is eager's";
  }
  f({x, w})[0].sum().backward();
  const uses captured = told.take();
  EXPECT_EQ(std::count(captured.begin(), captured.end(), StreamUse::Capture), device().is_cpu() ? 0 : 2);
  const Tensor y = f({x, w})[0];
  EXPECT_EQ(told.take(), replay);
  y.sum().backward();
  EXPECT_EQ(told.take(), replay);
}

}  // namespace stream_test
