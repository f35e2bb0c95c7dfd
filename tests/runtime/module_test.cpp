// SPDX-License-Identifier: Apache-2.0
//
// A module's parameters, buffers and train/eval state: used where they are, and noticed when they change.
#include "support/device_test.h"

#include <torch/nn.h>

namespace module_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Module);

/// A linear layer whose weight can become another tensor.
struct HeadImpl : torch::nn::LinearImpl {
  using LinearImpl::LinearImpl;
  void replace(Tensor replacement) { parameters_["weight"] = weight = std::move(replacement); }
};

struct NetImpl : torch::nn::Module {
  NetImpl()
      : convolution(register_module("convolution", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 4, 3).padding(1)))),
        norm(register_module("norm", torch::nn::BatchNorm2d(4))),
        dropout(register_module("dropout", torch::nn::Dropout(0.25))),
        head(register_module("head", torch::nn::ModuleHolder<HeadImpl>(4 * 36, 5))) {}
  Tensor forward(const Tensor& x) { return head(dropout(norm(convolution(x)).relu().flatten(1))); }

  torch::nn::Conv2d convolution;
  torch::nn::BatchNorm2d norm;
  torch::nn::Dropout dropout;
  torch::nn::ModuleHolder<HeadImpl> head;
};

const std::vector<argument> images{{"x", {8, 1, 6, 6}}};

struct network {
  explicit network(const scenario& run)
      : net(on(run.device())), f(run, images, [this](tensor_list& in) { return tensor_list{net->forward(in[0])}; }, {}, net.get()) {}
  static std::shared_ptr<NetImpl> on(c10::Device device) {
    auto made = std::make_shared<NetImpl>();
    made->to(device);
    return made;
  }
  void see_state(scenario& run) {
    for (const auto& parameter : net->named_parameters()) {
      run.see(parameter.key(), parameter.value());
    }
    for (const auto& buffer : net->named_buffers()) {
      run.see(buffer.key(), buffer.value());
    }
  }
  void see_gradients(scenario& run) {
    for (const auto& parameter : net->named_parameters()) {
      run.see_grad(parameter.key() + ".grad", parameter.value());
    }
  }
  void descend() {
    const c10::AutoGradMode no_grad(false);
    for (auto& parameter : net->parameters()) {
      if (parameter.grad().defined()) {
        parameter.sub_(parameter.grad(), 0.05);
      }
    }
  }

  const std::shared_ptr<NetImpl> net;
  subject f;
};

TEST_P(Module, BatchNormRunningStatisticsAndEveryParameter) {
  expect_same([](scenario& run) {
    network n(run);
    for (int step = 0; step < 10; ++step) {
      const Tensor loss = n.f({run.random({8, 1, 6, 6})})[0].pow(2).mean();
      run.see("loss", loss);
      loss.backward();
      n.descend();
      n.see_state(run);
      n.see_gradients(run);
    }
    EXPECT_EQ(n.net->norm->num_batches_tracked.item<int64_t>(), 10);
    n.f.expect_replays(8, 8);
    n.f.expect_captures(1);
  });
}

TEST_P(Module, TrainAndEvaluationFlips) {
  expect_same([](scenario& run) {
    network n(run);
    for (int step = 0; step < 16; ++step) {
      n.net->train(step % 2 == 0);
      n.f({run.random({8, 1, 6, 6})})[0].sum().backward();
      n.see_gradients(run);
      n.see_state(run);
    }
    EXPECT_EQ(n.net->norm->num_batches_tracked.item<int64_t>(), 8);
    n.f.expect_replays(12, 12);
    n.f.expect_captures(2);
  });
}

TEST_P(Module, OneSubmoduleInEvaluation) {
  expect_same([](scenario& run) {
    network n(run);
    for (int step = 0; step < 10; ++step) {
      n.net->norm->train(step < 5);
      run.see("y", n.f({run.random({8, 1, 6, 6})})[0]);
      n.see_state(run);
    }
    n.f.expect_captures(2);
  });
}

TEST_P(Module, ParameterReplacedBySetData) {
  expect_same([](scenario& run) {
    network n(run);
    for (int step = 0; step < 10; ++step) {
      if (step % 5 == 4) {
        n.net->head->weight.set_data(run.random({5, 4 * 36}));
      }
      const Tensor y = n.f({run.random({8, 1, 6, 6})})[0];
      run.see("y", y);
      y.sum().backward();
      n.see_gradients(run);
    }
    n.f.expect_captures(3);
  });
}

TEST_P(Module, ConvertedToAnotherTypeAndBack) {
  expect_same([](scenario& run) {
    network n(run);
    for (int step = 0; step < 10; ++step) {
      if (step == 5) {
        n.net->to(at::kDouble);
        n.net->to(at::kFloat);
      }
      const Tensor y = n.f({run.random({8, 1, 6, 6})})[0];
      run.see("y", y);
      y.sum().backward();
      n.see_gradients(run);
    }
  });
}

TEST_P(Module, ParameterTensorReplaced) {
  expect_same([](scenario& run) {
    network n(run);
    for (int step = 0; step < 10; ++step) {
      if (step == 5) {
        n.net->head->replace(run.leaf({5, 4 * 36}));
      }
      const Tensor y = n.f({run.random({8, 1, 6, 6})})[0];
      run.see("y", y);
      y.sum().backward();
      n.see_gradients(run);
    }
  });
}

TEST_P(Module, ParameterStepped) {
  expect_same([](scenario& run) {
    network n(run);
    torch::NoGradGuard no_grad;
    for (int step = 0; step < 8; ++step) {
      for (auto& parameter : n.net->parameters()) {
        parameter.mul_(0.9);
      }
      run.see("y", n.f({run.random({8, 1, 6, 6})})[0]);
    }
    n.f.expect_replays(6);
    n.f.expect_captures(1);
  });
}

TEST_P(Module, ParameterFrozenAndThawed) {
  expect_same([](scenario& run) {
    network n(run);
    for (int step = 0; step < 12; ++step) {
      n.net->convolution->weight.set_requires_grad(step < 4 || step >= 8);
      n.f({run.random({8, 1, 6, 6})})[0].sum().backward();
      n.see_gradients(run);
    }
    n.f.expect_replays(8, 8);
    n.f.expect_captures(2);
  });
}

TEST_P(Module, AlternationAsInAdversarialTrainingKeepsBothCaptures) {
  expect_same([](scenario& run) {
    network n(run);
    uint64_t captures = 0;
    for (int step = 0; step < 20; ++step) {
      for (auto& parameter : n.net->parameters()) {
        parameter.set_requires_grad(step % 2 == 0);
      }
      const Tensor y = n.f({run.random({8, 1, 6, 6})})[0];
      run.see("y", y);
      if (step % 2 == 0) {
        y.sum().backward();
      }
      n.see_gradients(run);
      if (step == 9) {
        captures = n.f.captures();
      }
    }
    n.f.expect_replays(16, 8);
    EXPECT_EQ(n.f.captures(), captures);
    n.f.expect_captures(2);
  });
}

TEST_P(Module, SharedParameter) {
  expect_same([](scenario& run) {
    torch::nn::Linear layer(8, 8);
    layer->to(run.device());
    subject f(run, {{"x", {4, 8}}}, [&](tensor_list& in) { return tensor_list{layer(layer(in[0]).tanh())}; }, {}, layer.get());
    for (int step = 0; step < 5; ++step) {
      f({run.random({4, 8})})[0].sum().backward();
      run.see_grad("weight.grad", layer->weight);
      run.see_grad("bias.grad", layer->bias);
    }
    f.expect_replays(3, 3);
  });
}

TEST_P(Module, DiesBeforeItsCallable) {
  expect_same([](scenario& run) {
    auto net = std::make_shared<torch::nn::LinearImpl>(8, 4);
    net->to(run.device());
    const Tensor weight = net->weight;
    subject f(run, {{"x", {16, 8}}}, [&](tensor_list& in) { return tensor_list{net->forward(in[0])}; }, {}, net.get());
    Tensor y;
    for (int step = 0; step < 5; ++step) {
      y = f({run.random({16, 8})})[0];
    }
    f.expect_replays(3);
    net.reset();
    run.see("y", y);
    y.sum().backward();
    run.see_grad("weight.grad", weight);
    f.reset();
  });
}

TEST_P(Module, Recurrent) {
  expect_same([](scenario& run) {
    torch::nn::GRU gru(6, 5);
    gru->to(run.device());
    subject f(
        run, {{"x", {7, 3, 6}}, {"h", {1, 3, 5}}},
        [&](tensor_list& in) {
          auto [y, h] = gru(in[0], in[1]);
          return tensor_list{y, h};
        },
        {}, gru.get());
    Tensor h = at::zeros({1, 3, 5}, run.options());
    for (int step = 0; step < 6; ++step) {
      const auto y = f({run.random({7, 3, 6}), h});
      run.see("y", y);
      y[0].sum().backward();
      h = y[1].detach();
      for (const auto& parameter : gru->named_parameters()) {
        run.see_grad(parameter.key(), parameter.value());
      }
    }
    f.expect_replays(4, 4);
  });
}

}  // namespace module_test
