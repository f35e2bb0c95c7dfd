// SPDX-License-Identifier: Apache-2.0
//
// Results that are, or share memory with, an argument, a parameter or another result.
#include "support/device_test.h"

namespace shared_result_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(SharedResult);

const argument x_argument{"x", {16, 8}};
const argument w_argument{"w", {8, 8}, at::kFloat, true};

TEST_P(SharedResult, ThatIsAnInput) {
  expect_same([](scenario& run) {
    subject f(run, {x_argument}, [](tensor_list& in) { return tensor_list{in[0], in[0].tanh()}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.random({16, 8});
      const auto y = f({x});
      EXPECT_TRUE(y[0].is_same(x));
      run.see("y", y);
    }
    f.expect_replays(4);
  });
}

TEST_P(SharedResult, ThatIsTheParameter) {
  expect_same([](scenario& run) {
    const Tensor closed_over = run.leaf({8});
    subject f(run, {x_argument, w_argument},
              [&](tensor_list& in) { return tensor_list{in[0].matmul(in[1]) + closed_over, in[1], closed_over}; });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      const auto y = f({run.random({16, 8}), w});
      EXPECT_TRUE(y[1].is_same(w));
      EXPECT_TRUE(y[2].is_same(closed_over));
      (y[0].sum() + y[1].pow(2).sum() + y[2].sum()).backward();
      run.see("y", y);
      run.see_grad("closed_over.grad", closed_over);
      w.mutable_grad() = Tensor();  // summed from inside and outside: the order is not promised
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(SharedResult, ThatIsAViewOfAnInput) {
  expect_same([](scenario& run) {
    subject f(run, {x_argument}, [](tensor_list& in) { return tensor_list{in[0].narrow(0, 2, 5).t(), in[0].view({8, 16})}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.random({16, 8});
      auto y = f({x});
      y[0].add_(1);
      run.see("y", y);
      run.see("x", x);
    }
    f.expect_replays(4);
  });
}

TEST_P(SharedResult, ThatIsAViewOfAnInputWithGradients) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].narrow(0, 2, 5).t()}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({16, 8});
      const Tensor y = f({x})[0];
      run.see("y", y);
      y.pow(2).sum().backward();
      run.see_grad("x.grad", x);
    }
    f.expect_replays(4);
  });
}

TEST_P(SharedResult, ThatIsAViewOfTheParameter) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 8});
    subject f(run, {x_argument}, [&](tensor_list& in) { return tensor_list{in[0] * 2, w.t()}; });
    for (int step = 0; step < 6; ++step) {
      const auto y = f({run.random({16, 8})});
      run.see("y", y);
      y[1].pow(2).sum().backward();
      run.see_grad("w.grad", w);
    }
  });
}

TEST_P(SharedResult, TheSameTwice) {
  expect_same([](scenario& run) {
    subject f(run, {x_argument, w_argument}, [](tensor_list& in) {
      const Tensor y = in[0].matmul(in[1]).tanh();
      return tensor_list{y, y};
    });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      const auto y = f({run.random({16, 8}), w});
      EXPECT_TRUE(y[0].is_same(y[1]));
      run.see("y", y);
      (y[0].sum() + y[1].pow(2).sum()).backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(SharedResult, TwoThatShareMemory) {
  expect_same([](scenario& run) {
    subject f(run, {x_argument}, [](tensor_list& in) {
      const Tensor y = in[0].tanh();
      return tensor_list{y, y.narrow(0, 4, 3), y.t()};
    });
    tensor_list held;
    for (int step = 0; step < 8; ++step) {
      auto y = f({run.random({16, 8})});
      if (step % 2 == 0) {
        y[1].add_(1);
      }
      run.see("y", y);
      held.insert(held.end(), y.begin(), y.end());
    }
    run.see("held", held);
    f.expect_replays(6);
  });
}

TEST_P(SharedResult, TwoThatShareMemoryWithGradients) {
  expect_same([](scenario& run) {
    subject f(run, {x_argument, w_argument}, [](tensor_list& in) {
      const Tensor y = in[0].matmul(in[1]).tanh();
      const auto halves = y.chunk(2, 1);
      return tensor_list{halves[0], halves[1], y.view({-1})};
    });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 8; ++step) {
      const auto y = f({run.random({16, 8}), w});
      run.see("y", y);
      y[static_cast<std::size_t>(step % 3)].pow(2).sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(6, 6);
  });
}

}  // namespace shared_result_test
