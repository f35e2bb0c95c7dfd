// SPDX-License-Identifier: Apache-2.0
//
// Callables whose operators need not all come one after another.
#include "support/device_test.h"

#include <graphed/host.h>

#include <torch/nn.h>

namespace branch_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Branch);

constexpr int calls = 12;

TEST_P(Branch, TowersThatJoin) {
  expect_same([](scenario& run) {
    const tensor_list weights{run.random({32, 32}), run.random({32, 32}), run.random({32, 32})};
    subject f(run, {{"x", {16, 32}}}, [&](tensor_list& in) {
      tensor_list towers;
      for (const Tensor& weight : weights) {
        towers.push_back(at::relu(at::relu(in[0].mm(weight)).mm(weight)).mm(weight));
      }
      return tensor_list{at::stack(towers).sum(0), towers[1]};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", f({run.random({16, 32})}));
    }
  });
}

TEST_P(Branch, ReadersBeforeAWriter) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {4096}}}, [](tensor_list& in) {
      Tensor state = in[0] * 2;
      const Tensor first = (state + 1).sin().exp();
      const Tensor second = (state + 2).cos().exp();
      const Tensor slow = at::cumsum(state, 0);
      state.mul_(3);
      const Tensor third = state.tanh();
      state.narrow(0, 100, 200).zero_();
      return tensor_list{first, second, slow, third, state + first};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", f({run.random({4096})}));
    }
  });
}

// Memory of a temporary goes to the next tensor while another branch may still read it.
TEST_P(Branch, TemporariesDieWhileOthersReadThem) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {256, 256}}}, [](tensor_list& in) {
      Tensor sum = at::zeros_like(in[0]);
      for (int i = 0; i < 10; ++i) {
        Tensor shared = in[0] * (i + 1);
        Tensor left = shared.mm(in[0]).tanh();
        Tensor right = shared.sin();
        shared = Tensor();
        sum = sum + left * right;
        right = Tensor();
        left = at::full_like(sum, i);
        sum = sum - left;
      }
      return tensor_list{sum};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("result", f({run.random({256, 256})}));
    }
  });
}

TEST_P(Branch, RandomNumbersOfTwoTowers) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {64, 64}}}, [](tensor_list& in) {
      const Tensor left = at::dropout(in[0].sin(), 0.5, true).mm(in[0]);
      const Tensor right = at::dropout(in[0].cos(), 0.3, true) + at::randn_like(in[0]);
      return tensor_list{left, right, at::bernoulli(right.sigmoid())};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", f({run.random({64, 64})}));
    }
    run.see("next", run.random({4}));
  });
}

TEST_P(Branch, RunningStatisticsThatTwoTowersUpdate) {
  expect_same([](scenario& run) {
    torch::nn::Sequential net(torch::nn::Linear(16, 16), torch::nn::BatchNorm1d(16), torch::nn::Tanh());
    net->to(run.device());
    subject f(run, {{"x", {8, 16}}, {"y", {8, 16}}},
              [&](tensor_list& in) { return tensor_list{net->forward(in[0]), net->forward(in[1]), net->forward(in[0] + in[1])}; });
    for (int call = 0; call < calls; ++call) {
      run.see("results", f({run.random({8, 16}), run.random({8, 16})}));
      for (const auto& buffer : net->buffers()) {
        run.see("statistics", buffer);
      }
    }
  });
}

TEST_P(Branch, GradientsOfTwoCritics) {
  expect_same([](scenario& run) {
    const auto critic = [&] {
      torch::nn::Sequential net(torch::nn::Linear(23, 64), torch::nn::ReLU(), torch::nn::Linear(64, 64), torch::nn::ReLU(),
                                torch::nn::Linear(64, 1));
      net->to(run.device());
      return net;
    };
    auto one = critic(), other = critic();
    subject f(run, {{"x", {32, 23}}}, [&](tensor_list& in) {
      return tensor_list{at::minimum(one->forward(in[0]), other->forward(in[0])).mean() +
                         at::mse_loss(one->forward(in[0]), other->forward(in[0]))};
    });
    for (int call = 0; call < calls; ++call) {
      f({run.random({32, 23})})[0].backward();
      for (const auto& net : {one, other}) {
        for (const auto& parameter : net->parameters()) {
          run.see_grad("gradient", parameter);
        }
      }
    }
    f.expect_replays(calls - 2, calls - 2);
  });
}

TEST_P(Branch, SparseAndIndexed) {
  expect_same([](scenario& run) {
    const Tensor table = run.random({50, 8});
    subject f(run, {{"x", {20, 8}}, {"i", {20}, at::kLong}}, [&](tensor_list& in) {
      const Tensor taken = at::embedding(table, in[1]);
      const Tensor sum = at::index_add(at::zeros_like(table), 0, in[1].remainder(1) + at::arange(20, in[1].options()), taken * in[0]);
      return tensor_list{taken + in[0].sin(), sum, at::one_hot(in[1], 50).sum(0)};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", f({run.random({20, 8}), at::randint(50, {20}, run.options(at::kLong))}));
    }
  });
}

TEST_P(Branch, InEachPieceBesideHostParts) {
  expect_same([](scenario& run) {
    const Tensor weight = run.random({64, 64});
    subject f(run, {{"x", {64, 64}}}, [&](tensor_list& in) {
      const Tensor left = at::dropout(in[0].sin(), 0.5, true).mm(weight), right = in[0].cos().exp();
      const Scalar mean = host([left] { return left.mean().item<float>(); });
      Tensor scaled = left * mean.like(left);
      const Tensor other = right.mm(weight).tanh();
      const Tensor picked = host([scaled, other] { return at::where(scaled.gt(0), scaled, other).cpu().to(other.device()); });
      scaled = Tensor();
      return tensor_list{picked.sin().mm(weight), other.cos() + at::rand_like(other), right.mm(other), picked};
    });
    for (int call = 0; call < calls; ++call) {
      run.see("results", f({run.random({64, 64})}));
    }
    f.expect_replays(calls - 2);
  });
}

}  // namespace branch_test
