// SPDX-License-Identifier: Apache-2.0
//
// Random numbers: a graphed callable draws what eager would draw, and leaves the generator where eager leaves it.
#include "support/device_test.h"
#include "support/warnings.h"

#include <mutex>

namespace random_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Random);

TEST_P(Random, DropoutInterleavedWithEagerRandomNumbers) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {64, 32}}, {"w", {32, 16}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{at::dropout(in[0].matmul(in[1]), 0.3, true)}; });
    const Tensor w = run.leaf({32, 16});
    for (int step = 0; step < 8; ++step) {
      const Tensor y = f({run.random({64, 32}), w})[0];
      run.see("y", y);
      run.see("between", at::rand({5}, run.options()));
      y.sum().backward();
      run.see_grad("w.grad", w);
      run.see("after", at::randint(100, {3}, run.options(at::kLong)));
    }
    f.expect_replays(6, 6);
  });
}

TEST_P(Random, SeveralDrawsInOneCall) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {33, 7}}}, [](tensor_list& in) {
      const Tensor noise = at::randn_like(in[0]), uniform = at::rand_like(in[0]);
      return tensor_list{
          in[0] + noise, at::bernoulli(uniform),
          at::normal(0.0, 2.0, in[0].sizes(), std::nullopt, in[0].scalar_type(), std::nullopt, in[0].device(), std::nullopt)};
    });
    for (int step = 0; step < 8; ++step) {
      run.see("y", f({run.random({33, 7})}));
      run.see("between", run.random({3}));
    }
    f.expect_replays(6);
  });
}

TEST_P(Random, SeededAnewBetweenCalls) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {64, 32}}}, [](tensor_list& in) { return tensor_list{at::dropout(in[0], 0.5, true)}; });
    for (int step = 0; step < 8; ++step) {
      if (step % 2 == 0) {
        at::manual_seed(static_cast<uint64_t>(step / 4));
      }
      run.see("y", f({run.random({64, 32})})[0]);
    }
  });
}

TEST_P(Random, StateSetBackBetweenCallsDrawsTheSameAgain) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {64, 32}}}, [](tensor_list& in) { return tensor_list{at::dropout(in[0], 0.5, true)}; });
    at::Generator generator = at::globalContext().defaultGenerator(run.device());
    const Tensor x = run.random({64, 32});
    for (int step = 0; step < 5; ++step) {
      const Tensor state = generator.get_state();
      const Tensor first = f({x})[0];
      generator.set_state(state);
      const Tensor second = f({x})[0];
      EXPECT_TRUE(same_bits(first, second)) << "step " << step;
      run.see("first", first);
    }
  });
}

TEST_P(Random, TwoCallablesTakeTurns) {
  expect_same([](scenario& run) {
    const auto body = [](tensor_list& in) { return tensor_list{at::dropout(in[0], 0.5, true)}; };
    subject f(run, {{"x", {64, 32}}}, body), g(run, {{"x", {10, 3}}}, body);
    for (int step = 0; step < 8; ++step) {
      run.see("f", f({run.random({64, 32})})[0]);
      run.see("g", g({run.random({10, 3})})[0]);
    }
    f.expect_replays(6);
    g.expect_replays(6);
  });
}

TEST_P(Random, DropoutInTwoCallsInFlight) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {64, 32}}, {"w", {32, 16}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{at::dropout(in[0].matmul(in[1]), 0.3, true)}; });
    const Tensor w = run.leaf({32, 16});
    for (int step = 0; step < 6; ++step) {
      const Tensor first = f({run.random({64, 32}), w})[0], second = f({run.random({64, 32}), w})[0];
      (first.sum() + second.pow(2).sum()).backward();
      run.see_grad("w.grad", w);
    }
  });
}

TEST_P(Random, BackwardThatDrawsRandomNumbers) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}, {"w", {8, 8}, at::kFloat, true}}, [](tensor_list& in) {
      const Tensor y = in[0].matmul(in[1]);
      y.register_hook([](const Tensor& gradient) { return gradient + at::randn_like(gradient); });
      return tensor_list{y.tanh()};
    });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      f({run.random({16, 8}), w})[0].sum().backward();
      run.see_grad("w.grad", w);
      run.see("between", run.random({3}));
    }
  });
}

// As LibTorch's documentation shows it. What draws would wait for itself, eagerly, too.
TEST_P(Random, AProgramHoldsTheGeneratorsMutexAroundCallsThatDrawNothing) {
  const scenario run(device(), true);
  const collected_warnings warnings;
  const Tensor x = run.random({16, 8});
  test_callable f({{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].sin()}; });
  test_callable g({{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].cos()}; });
  at::Generator generator = at::globalContext().defaultGenerator(device());
  {
    const std::lock_guard<std::mutex> lock(generator.mutex());
    for (int call = 0; call < 4; ++call) {
      EXPECT_TRUE(same_bits(f({x})[0], x.sin())) << call;
    }
    if (device().is_cpu()) {
      EXPECT_EQ(f.stats().captures, 1U) << f.stats();
      g.prepare({x});
      EXPECT_EQ(g.stats().captures, 1U) << g.stats();
    } else {
      EXPECT_GE(warnings.count({"the mutex of the device's random generator is held"}), 1U) << warnings.all();
    }
  }
  for (int call = 0; call < 4; ++call) {
    EXPECT_TRUE(same_bits(f({x})[0], x.sin())) << call;
    EXPECT_TRUE(same_bits(g({x})[0], x.cos())) << call;
  }
}

}  // namespace random_test
