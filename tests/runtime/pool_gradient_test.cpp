// SPDX-License-Identifier: Apache-2.0
//
// Gradients that the backward of one graphed callable leaves in the memory of its pool, and that the one before reads there.
#include "support/device_test.h"

#include <thread>

namespace pool_gradient_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(PoolGradient);

/// Two layers in a row, each a callable. Graphed, they name one pool.
class chain {
 public:
  explicit chain(scenario& run, const char* pool = "layers", int slots = 2)
      : run_(run),
        a_(run.leaf({8, 8})),
        b_(run.leaf({8, 8})),
        first_({{"x", {16, 8}, at::kFloat, true}}, layer(a_), in(pool, slots)),
        second_({{"h", {16, 8}, at::kFloat, true}}, layer(b_), in(pool, slots)) {}

  Tensor first(const Tensor& x) { return call(first_, x); }
  Tensor second(const Tensor& h) { return call(second_, h); }
  void see_gradients(const Tensor& x) {
    run_.see_grad("x", x);
    run_.see_grad("a", a_);
    run_.see_grad("b", b_);
  }
  Statistics stats() const { return first_.stats(); }
  void reset_second() { second_.reset(); }

 private:
  static test_callable::body layer(const Tensor& w) {
    return [w](tensor_list& in) { return tensor_list{in[0].matmul(w).tanh()}; };
  }
  static settings in(const char* pool, int slots) {
    settings made;
    made.pool = pool;
    made.slots = slots;
    return made;
  }
  Tensor call(test_callable& f, const Tensor& x) const { return run_.graphed() ? f({x})[0] : f.plain({x})[0]; }

  scenario& run_;
  Tensor a_, b_;
  test_callable first_, second_;
};

TEST_P(PoolGradient, IsReadWhereItIs) {
  expect_same([](scenario& run) {
    chain f(run);
    uint64_t staged = 0;
    for (int step = 0; step < 7; ++step) {
      const Tensor x = run.leaf({16, 8});
      staged = f.stats().bytes_staged;
      f.second(f.first(x)).backward(run.random({16, 8}));
      f.see_gradients(x);
    }
    if (run.graphed()) {
      EXPECT_EQ(f.stats().backward_replays, 5U) << f.stats();
      EXPECT_EQ(f.stats().backward_captures, 1U) << f.stats();
      EXPECT_EQ(f.stats().bytes_staged - staged, 16 * 8 * sizeof(float)) << "the argument only: " << f.stats();
      EXPECT_EQ(f.stats().kept_outputs, 0U) << f.stats();
    }
  });
}

TEST_P(PoolGradient, IsCopiedFromAnotherPool) {
  scenario run(device(), true);
  chain f(run, nullptr);
  uint64_t staged = 0;
  for (int step = 0; step < 7; ++step) {
    staged = f.stats().bytes_staged;
    f.second(f.first(run.leaf({16, 8}))).backward(run.random({16, 8}));
  }
  EXPECT_EQ(f.stats().backward_replays, 5U) << f.stats();
  EXPECT_EQ(f.stats().bytes_staged - staged, 2 * 16 * 8 * sizeof(float)) << "the argument and the gradient: " << f.stats();
}

TEST_P(PoolGradient, ThatAHookHoldsStaysAsItIs) {
  expect_same([](scenario& run) {
    chain f(run);
    tensor_list held;
    for (int step = 0; step < 7; ++step) {
      const Tensor x = run.leaf({16, 8}), h = f.first(x);
      h.register_hook([&](const Tensor& gradient) { held.push_back(gradient); });
      f.second(h).backward(run.random({16, 8}));
      f.see_gradients(x);
    }
    run.see("held", held);
  });
}

TEST_P(PoolGradient, ThatAHookWritesIsReadAfterwards) {
  expect_same([](scenario& run) {
    chain f(run);
    for (int step = 0; step < 7; ++step) {
      const Tensor x = run.leaf({16, 8}), h = f.first(x);
      h.register_hook([](Tensor gradient) { gradient.mul_(2); });
      f.second(h).backward(run.random({16, 8}));
      f.see_gradients(x);
    }
  });
}

// Here the graph's memory, there the sum of two gradients, or one of another layout.
TEST_P(PoolGradient, OrAnotherOneFromStepToStep) {
  expect_same([](scenario& run) {
    chain f(run);
    for (int step = 0; step < 16; ++step) {
      const Tensor x = run.leaf({16, 8}), h = f.first(x);
      const Tensor y = f.second(h);
      const Tensor loss = step % 4 < 2 ? y.sum() : step % 4 == 2 ? (y + h).sum() : (h.t() * run.random({8, 16})).sum();
      loss.backward();
      f.see_gradients(x);
    }
    if (run.graphed()) {
      EXPECT_EQ(f.stats().backward_replays, 14U) << f.stats();
      EXPECT_LE(f.stats().backward_captures, 4U) << f.stats();
    }
  });
}

TEST_P(PoolGradient, OfTwoCallsInFlight) {
  expect_same([](scenario& run) {
    chain f(run);
    for (int step = 0; step < 7; ++step) {
      const Tensor x = run.leaf({16, 8}), y = run.leaf({16, 8});
      const Tensor of_x = f.second(f.first(x)), of_y = f.second(f.first(y));
      (step % 2 == 0 ? of_x : of_y).backward(run.random({16, 8}));
      (step % 2 == 0 ? of_y : of_x).backward(run.random({16, 8}));
      f.see_gradients(x);
      f.see_gradients(y);
    }
  });
}

TEST_P(PoolGradient, OutlivesTheGraphThatWroteIt) {
  expect_same([](scenario& run) {
    chain f(run);
    for (int step = 0; step < 16; ++step) {
      const Tensor x = run.leaf({16, 8});
      const Tensor y = f.second(f.first(x));
      if (step == 5 || step == 9) {
        f.reset_second();
      }
      y.backward(run.random({16, 8}));
      f.see_gradients(x);
    }
  });
}

// Its memory is that of the pool's next backward, which the captured one must not read.
TEST_P(PoolGradient, OfAThreadIsNotThatOfAnother) {
  expect_same([](scenario& run) {
    chain f(run, "layers of threads", /*slots=*/4);
    for (int step = 0; step < 8; ++step) {
      const Tensor x = run.leaf({16, 8}), y = run.leaf({16, 8}), gradient = run.random({16, 8});
      const Tensor of_x = f.second(f.first(x));
      Tensor of_y;
      std::thread other([&] { (of_y = f.second(f.first(y))).backward(gradient); });
      other.join();
      of_x.backward(gradient);
      f.see_gradients(x);
      f.see_gradients(y);
    }
  });
}

}  // namespace pool_gradient_test
