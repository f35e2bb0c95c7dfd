// SPDX-License-Identifier: Apache-2.0
//
// Open defects of PyTorch's graphs, each with the program that shows it there: github.com/pytorch/pytorch/issues/<number>.
#include "support/device_test.h"

namespace defect_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Defect);

const std::vector<argument> layer_arguments{{"x", {64, 32}}, {"w", {32, 32}, at::kFloat, true}};

tensor_list layer(tensor_list& in) { return {in[0].matmul(in[1]).tanh()}; }
tensor_list noisy_layer(tensor_list& in) { return {at::dropout(in[0].matmul(in[1]), 0.5, /*train=*/true)}; }

// 181723: a gradient in static memory becomes .grad, and the next backward overwrites it before it is added to.
TEST_P(Defect, GradientsInStaticMemoryAreAccumulated) {
  expect_same([](scenario& run) {
    subject f(run, layer_arguments, layer);
    const Tensor w = run.leaf({32, 32});
    for (int step = 0; step < 6; ++step) {
      w.mutable_grad() = Tensor();
      for (int micro_batch = 0; micro_batch < 4; ++micro_batch) {
        f({run.random({64, 32}), w})[0].pow(2).sum().backward();
        run.see("w.grad", w.grad());
      }
    }
    f.expect_replays(22, 22);
  });
}

// 181723: the gradient is taken away and held, as an optimizer that delays its step does.
TEST_P(Defect, GradientsInStaticMemoryAreHeld) {
  expect_same([](scenario& run) {
    subject f(run, layer_arguments, layer);
    const Tensor w = run.leaf({32, 32});
    tensor_list held, views;
    for (int step = 0; step < 6; ++step) {
      f({run.random({64, 32}), w})[0].sum().backward();
      held.push_back(w.grad());
      views.push_back(w.grad()[step]);
      w.mutable_grad() = Tensor();
    }
    run.see("held", held);
    run.see("views", views);
    f.expect_replays(4, 4);
  });
}

// 193402: two callables are captured on one stream and share cuBLAS's workspace; the one that dies takes it along.
TEST_P(Defect, WorkspaceOutlivesTheOtherGraphOfItsStream) {
  expect_same([](scenario& run) {
    subject train(run, layer_arguments, layer);
    const Tensor w = run.leaf({32, 32});
    const auto step = [&] {
      const Tensor y = train({run.random({64, 32}), w})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("w.grad", w);
    };
    for (int i = 0; i < 4; ++i) {
      step();
    }
    for (int round = 0; round < 3; ++round) {
      {
        subject evaluate(run, {{"x", {512, 64}, at::kBFloat16}, {"w", {64, 64}, at::kBFloat16}},
                         [](tensor_list& in) { return tensor_list{in[0].matmul(in[1])}; }, {1});
        for (int i = 0; i < 3; ++i) {
          run.see("evaluated", evaluate({run.random({512, 64}, at::kBFloat16), run.random({64, 64}, at::kBFloat16)}));
        }
      }
      tensor_list elsewhere;
      for (int i = 0; i < 8; ++i) {
        elsewhere.push_back(at::full({1 << 20}, -1.0, run.options()));
      }
      for (int i = 0; i < 3; ++i) {
        step();
      }
    }
    train.expect_captures(1);
    train.expect_replays(11, 11);
  });
}

// 171263: a capture that fails leaves the generator capturing, and every later draw throws.
TEST_P(Defect, GeneratorIsFreeAfterAFailedCapture) {
  expect_same([](scenario& run) {
    int calls = 0;
    subject f(run, layer_arguments, [&](tensor_list& in) {
      const tensor_list y = noisy_layer(in);
      if (run.graphed() && ++calls == 3) {
        throw std::runtime_error("in the capture, after a draw");
      }
      return y;
    });
    const Tensor w = run.leaf({32, 32});
    for (int step = 0; step < 8; ++step) {
      const Tensor y = f({run.random({64, 32}), w})[0];
      run.see("y", y);
      run.see("eager", at::rand({7}, run.options()));
      at::manual_seed(static_cast<uint64_t>(step));
      run.see("seeded", at::rand({7}, run.options()));
      y.sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_captures(1);
    f.expect_misses(Miss::CaptureFailed, 1);
  });
}

// 171263: the same by an operator that a capture forbids, and with another callable that draws captured right after.
TEST_P(Defect, AnotherCallableDrawsAfterAFailedCapture) {
  expect_same([](scenario& run) {
    subject bad(run, layer_arguments,
                [](tensor_list& in) {
                  const Tensor y = noisy_layer(in)[0];
                  return tensor_list{y * y.sum().item<float>()};
                },
                {1});
    subject good(run, layer_arguments, noisy_layer, {1});
    const Tensor w = run.leaf({32, 32});
    for (int step = 0; step < 6; ++step) {
      run.see("bad", bad({run.random({64, 32}), w}));
      run.see("good", good({run.random({64, 32}), w}));
    }
    bad.expect_captures(0);
    good.expect_captures(1);
  });
}

// 176753: the tensors of the seed and the offset are freed while a replay that reads them is in flight.
TEST_P(Defect, SeedAndOffsetOutliveAReplayInFlight) {
  expect_same([](scenario& run) {
    const int64_t size = run.device().is_cpu() ? 64 : 2048;
    for (int round = 0; round < 5; ++round) {
      tensor_list results, elsewhere;
      {
        subject f(run, {{"x", {size, size}}},
                  [](tensor_list& in) {
                    Tensor y = in[0];
                    for (int i = 0; i < 10; ++i) {
                      y = y.cos();
                    }
                    return tensor_list{at::dropout(y, 0.5, true)};
                  },
                  {1});
        const Tensor x = run.random({size, size});
        for (int step = 0; step < 4; ++step) {
          results.push_back(f({x})[0]);
        }
      }
      for (int64_t i = 0; i < 200; ++i) {
        elsewhere.push_back(at::full({1}, i, run.options(at::kLong)));
      }
      run.see("results", results);
    }
  });
}

}  // namespace defect_test
