// SPDX-License-Identifier: Apache-2.0
//
// Captures whose recordings are told of operators by RecordFunction, as where others have taken the place in the dispatcher. On a CPU the
// tape alone meets them there.
#include "support/device_test.h"
#include "watch/recorder.h"

#include <ATen/autocast_mode.h>
#include <c10/core/InferenceMode.h>
#include <torch/nn.h>
#include <torch/optim/sgd.h>

#include <string>

namespace told_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

class Told : public device_test {
 protected:
  Told() { tell_by_record_function(true); }
  ~Told() override { tell_by_record_function(false); }
};
GRAPHED_INSTANTIATE_DEVICE_TESTS(Told);

const std::vector<argument> arguments{{"x", {16, 8}}};

TEST_P(Told, ModuleWithStatistics) {
  expect_same([](scenario& run) {
    torch::nn::Sequential net(torch::nn::Linear(8, 4), torch::nn::BatchNorm1d(4), torch::nn::Tanh(), torch::nn::Linear(4, 2));
    net->to(run.device());
    subject f(run, arguments, [&](tensor_list& in) { return tensor_list{net->forward(in[0])}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({16, 8})})[0];
      run.see("y", y);
      y.pow(2).sum().backward();
      for (const auto& parameter : net->parameters()) {
        run.see_grad("gradient", parameter);
      }
      for (const auto& buffer : net->buffers()) {
        run.see("buffer", buffer);
      }
    }
    f.expect_replays(4, 4);
    f.expect_captures(1);
  });
}

TEST_P(Told, TensorsFromOutsideThatAreReadWrittenAndReplaced) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 4}), total = run.random({16, 4});
    subject f(run, arguments, [&](tensor_list& in) {
      const Tensor y = in[0].matmul(w).tanh();
      total.add_(y.detach());
      return tensor_list{y};
    });
    for (int step = 0; step < 9; ++step) {
      if (step == 5) {
        w.set_data(run.random({8, 4}));
      }
      const Tensor y = f({run.random({16, 8})})[0];
      run.see("y", y);
      run.see("total", total);
      y.sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_captures(2);
  });
}

TEST_P(Told, ArgumentWrittenInPlaceInInferenceMode) {
  expect_same([](scenario& run) {
    const c10::InferenceMode inference;
    const Tensor w = run.random({8, 8});
    subject f(run, {{"x", {16, 8}, at::kFloat, false, /*inplace=*/true}},
              [&](tensor_list& in) { return tensor_list{torch::nn::functional::linear(in[0].mul_(2), w)}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.random({16, 8});
      run.see("y", f({x}));
      run.see("x", x);
    }
    f.expect_replays(4);
  });
}

TEST_P(Told, RandomNumbersUnderAutocast) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 4});
    subject f(run, arguments, [&](tensor_list& in) { return tensor_list{at::dropout(in[0].matmul(w), 0.5, /*train=*/true)}; });
    at::autocast::set_autocast_enabled(run.device().type(), true);
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({16, 8})})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("w.grad", w);
      run.see("between", run.random({3}));
    }
    at::autocast::set_autocast_enabled(run.device().type(), false);
    at::autocast::clear_cache();
    f.expect_replays(4, 4);
  });
}

TEST_P(Told, WholeStep) {
  expect_same([](scenario& run) {
    torch::nn::Linear net(8, 2);
    net->to(run.device());
    torch::optim::SGD sgd(net->parameters(), torch::optim::SGDOptions(0.1));
    settings step;
    step.step = true;
    subject f(
        run, arguments,
        [&](tensor_list& in) {
          sgd.zero_grad();
          const Tensor loss = net->forward(in[0]).pow(2).mean();
          loss.backward();
          sgd.step();
          return tensor_list{loss.detach()};
        },
        step, net.get());
    for (int call = 0; call < 7; ++call) {
      run.see("loss", f({run.random({16, 8})}));
      run.see("weight", net->weight);
    }
    f.expect_replays(5);
  });
  EXPECT_EQ(warnings_.count({"aten::add_.Tensor steps a parameter of shape [2, 8] by the number -0.1"}), 1U) << warnings_.all();
}

// LibTorch drops what its callbacks throw: a refusal ends the capture when the callable has run.
TEST_P(Told, WhatIsRefusedRunsPlainly) {
  const auto expect_refused = [&](const test_callable::body& body, const std::string& why) {
    expect_same([&](scenario& run) {
      subject f(run, arguments, body);
      for (int step = 0; step < 6; ++step) {
        const Tensor x = run.random({16, 8});
        run.see("y", f({x}));
        run.see("x", x);
      }
      f.expect_replays(0);
    });
    EXPECT_GE(warnings_.count({"test_callable", why}), 1U) << why << "\n" << warnings_.all();
  };
  expect_refused([](tensor_list& in) { return tensor_list{in[0].add_(1)}; }, "aten::add_.Scalar writes to the argument 'x'");
  expect_refused([](tensor_list& in) { return tensor_list{in[0] * in[0].sum().item<float>()}; }, "aten::_local_scalar_dense");
  expect_refused(
      [](tensor_list& in) {
        at::manual_seed(3);
        return tensor_list{in[0] + at::rand_like(in[0])};
      },
      "sets the state of a random generator");
}

TEST_P(Told, TensorThatIsAnotherOnEachCall) {
  expect_same([](scenario& run) {
    Tensor current;
    subject f(run, arguments, [&](tensor_list& in) { return tensor_list{in[0] * current}; });
    for (int step = 0; step < 8; ++step) {
      current = run.random({8});
      run.see("y", f({run.random({16, 8})}));
    }
    f.expect_captures(0);
  });
  EXPECT_EQ(warnings_.count({"test_callable", "aten::mul.Tensor takes a tensor of shape [8] from outside, and took another one"}), 1U)
      << warnings_.all();
}

TEST_P(Told, NamesTheOperatorThatThrows) {
  expect_same([](scenario& run) {
    int call = 0;
    subject f(run, arguments, [&](tensor_list& in) {
      const Tensor y = in[0].tanh();
      return tensor_list{run.graphed() && ++call == 3 ? y.matmul(y) : y};
    });
    for (int step = 0; step < 4; ++step) {
      run.see("y", f({run.random({16, 8})}));
    }
  });
  EXPECT_EQ(warnings_.count({"test_callable", "the capture failed at operator aten::mm"}), 1U) << warnings_.all();
}

TEST_P(Told, PrepareLeavesNoTrace) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 4}), total = at::zeros({16, 4}, run.options());
    subject f(run, arguments, [&](tensor_list& in) {
      const Tensor y = at::dropout(in[0].matmul(w), 0.5, /*train=*/true);
      total.add_(y.detach());
      return tensor_list{y};
    });
    f.prepare({run.random({16, 8})});
    for (int step = 0; step < 3; ++step) {
      const Tensor y = f({run.random({16, 8})})[0];
      run.see("y", y);
      run.see("total", total);
      y.sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(3, 3);
  });
}

}  // namespace told_test
