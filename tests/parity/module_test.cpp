// SPDX-License-Identifier: Apache-2.0
//
// Modules and functions graphed side by side and trained: the programs of make_graphed_callables' tests in test_cuda.py.
#include "support/autocast.h"
#include "support/device_test.h"

#include <torch/nn.h>
#include <torch/optim/sgd.h>
#include <torch/serialize.h>

namespace module_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(GraphedModule);

constexpr int64_t batch = 16, in_features = 24, hidden = 12, classes = 6;

torch::nn::Sequential perceptron(const scenario& run, int64_t from, int64_t through, int64_t to) {
  torch::nn::Sequential net(torch::nn::Linear(from, through), torch::nn::Dropout(0.1), torch::nn::Linear(through, to),
                            torch::nn::Dropout(0.2));
  net->to(run.device());
  return net;
}

/// Each row's own index, gathered: a module without parameters.
Tensor gathered(const Tensor& x) {
  return at::gather(x, 0, at::arange(x.size(0), x.options().dtype(at::kLong)).view({-1, 1}).repeat({1, x.size(1)}));
}

/// Two modules with parameters, one without, and two functions. The first module has an argument that it does not use.
struct five_callables {
  five_callables(scenario& run, bool uses_every_argument)
      : first_net(perceptron(run, in_features, hidden, hidden)),
        second_net(perceptron(run, hidden, hidden, classes)),
        first(
            run, {{"x", {batch, in_features}}, {"other", {batch, hidden}, at::kFloat, true}},
            [this, uses_every_argument](tensor_list& in) {
              const Tensor y = first_net->forward(in[0]);
              return tensor_list{uses_every_argument ? y * in[1] : y};
            },
            {}, first_net.ptr().get()),
        second(
            run, {{"h", {batch, hidden}, at::kFloat, true}}, [this](tensor_list& in) { return tensor_list{second_net->forward(in[0])}; },
            {}, second_net.ptr().get()),
        third(run, {{"h", {batch, classes}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{gathered(in[0])}; }),
        relu(run, {{"y", {batch, classes}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].relu()}; }),
        loss(run, {{"y", {batch, classes}, at::kFloat, true}, {"target", {batch, classes}}},
             [](tensor_list& in) { return tensor_list{at::mse_loss(in[0], in[1])}; }) {}

  std::vector<Tensor> parameters() const {
    auto all = first_net->parameters();
    const auto more = second_net->parameters();
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Tensor predict(const Tensor& x, const Tensor& other) { return relu(third(second(first({x, other}))))[0]; }

  torch::nn::Sequential first_net, second_net;
  subject first, second, third, relu, loss;
};

struct casting {
  bool on = false;
  bool cached = false;
};

void expect_trained_as_eager(c10::Device device, casting casting, bool uses_every_argument) {
  expect_same(device, [&](scenario& run) {
    five_callables all(run, uses_every_argument);
    torch::optim::SGD optimizer(all.parameters(), 0.1);
    const Tensor other = run.leaf({batch, hidden});
    const auto step = [&](bool training) {
      std::optional<autocast> cast;
      if (casting.on) {
        cast.emplace(run.device().type(), at::kBFloat16);
        at::autocast::set_autocast_cache_enabled(casting.cached);
      }
      const Tensor prediction = all.predict(run.random({batch, in_features}), other);
      run.see("prediction", prediction);
      if (training) {
        const Tensor loss = all.loss({prediction, run.random({batch, classes})})[0];
        cast.reset();
        run.see("loss", loss);
        optimizer.zero_grad();
        loss.backward();
        optimizer.step();
        run.see_grad("other.grad", other);
      }
      at::autocast::set_autocast_cache_enabled(true);
    };
    for (int i = 0; i < 10; ++i) {
      step(/*training=*/true);
    }
    run.see("parameters", all.parameters());
    all.first_net->eval();
    all.second_net->eval();
    for (int i = 0; i < 5; ++i) {
      step(/*training=*/false);
    }
    if (!casting.on) {
      all.first.expect_replays(8 + 3, 8);
      all.second.expect_replays(8 + 3, 8);
      all.loss.expect_replays(8, 8);
    }
  });
}

// test_graph_make_graphed_callables_without_amp_allow_unused_input.
TEST_P(GraphedModule, FiveCallablesInOneTrainingStep) { expect_trained_as_eager(device(), {}, /*uses_every_argument=*/false); }

// test_graph_make_graphed_callables_without_amp_not_allow_unused_input: expected to fail there, eager's result here.
TEST_P(GraphedModule, FiveCallablesWithoutUnusedInputs) { expect_trained_as_eager(device(), {}, /*uses_every_argument=*/true); }

// test_graph_make_graphed_callables_with_amp_cache_disabled_allow_unused_input.
TEST_P(GraphedModule, FiveCallablesUnderAutocastWithoutItsCache) {
  expect_trained_as_eager(device(), {/*on=*/true, /*cached=*/false}, /*uses_every_argument=*/false);
}

// test_graph_make_graphed_callables_with_amp_cache_enabled_allow_unused_input: expected to fail there.
TEST_P(GraphedModule, FiveCallablesUnderAutocastWithItsCache) {
  expect_trained_as_eager(device(), {/*on=*/true, /*cached=*/true}, /*uses_every_argument=*/false);
}

void expect_parameterless(c10::Device device, casting casting, bool gradients) {
  expect_same(device, [&](scenario& run) {
    subject f(run, {{"x", {batch, hidden}, at::kFloat, gradients}, {"unused", {batch, classes}}},
              [](tensor_list& in) { return tensor_list{gathered(in[0])}; });
    for (int step = 0; step < 8; ++step) {
      std::optional<autocast> cast;
      if (casting.on) {
        cast.emplace(run.device().type(), at::kBFloat16);
        at::autocast::set_autocast_cache_enabled(casting.cached);
      }
      const Tensor x = run.random({batch, hidden}).requires_grad_(gradients);
      const Tensor y = f({x, run.random({batch, classes})})[0];
      cast.reset();
      at::autocast::set_autocast_cache_enabled(true);
      run.see("y", y);
      if (gradients) {
        y.pow(2).sum().backward();
        run.see_grad("x.grad", x);
      }
    }
    f.expect_replays(6, gradients ? 6 : 0);
  });
}

// test_graph_make_graphed_callables_parameterless_nograd_module_without_amp_allow_unused_input.
TEST_P(GraphedModule, ParameterlessWithoutGradients) { expect_parameterless(device(), {}, /*gradients=*/false); }

// test_graph_make_graphed_callables_parameterless_nograd_module: its real inputs require gradients.
TEST_P(GraphedModule, ParameterlessWithGradients) { expect_parameterless(device(), {}, /*gradients=*/true); }

// ..._parameterless_nograd_module_with_amp_cache_disabled_allow_unused_input.
TEST_P(GraphedModule, ParameterlessUnderAutocastWithoutItsCache) { expect_parameterless(device(), {true, false}, /*gradients=*/false); }

// ..._parameterless_nograd_module_with_amp_cache_enabled_allow_unused_input: expected to fail there.
TEST_P(GraphedModule, ParameterlessUnderAutocastWithItsCache) { expect_parameterless(device(), {true, true}, /*gradients=*/false); }

// test_graph_make_graphed_callables_same_pool, but for the pool: copies of three networks, each with its own parameters and gradients.
TEST_P(GraphedModule, GradientsOfACopyAreItsOwn) {
  scenario run(device(), true);
  for (int model = 0; model < 3; ++model) {
    auto net = perceptron(run, in_features, hidden, classes);
    net->eval();
    const auto copy = std::dynamic_pointer_cast<torch::nn::SequentialImpl>(net->clone());
    copy->eval();
    subject f(run, {{"x", {batch, in_features}}}, [&](tensor_list& in) { return tensor_list{copy->forward(in[0])}; }, {}, copy.get());
    for (int step = 0; step < 5; ++step) {
      const Tensor x = run.random({batch, in_features});
      const Tensor plain = net->forward(x), graphed = f({x})[0];
      EXPECT_TRUE(same_bits(plain, graphed));
      plain.norm().backward();
      graphed.norm().backward();
      for (std::size_t i = 0; i < net->parameters().size(); ++i) {
        const Tensor p = net->parameters()[i], q = copy->parameters()[i];
        EXPECT_TRUE(same_bits(p.grad(), q.grad()));
        EXPECT_FALSE(p.is_alias_of(q));
        EXPECT_FALSE(p.grad().is_alias_of(q.grad()));
      }
    }
    f.expect_replays(3, 3);
  }
}

// test_cuda.py, TestBlockStateAbsorption.test_resnet: a residual network in evaluation.
TEST_P(GraphedModule, ResidualNetworkInEvaluation) {
  expect_same([](scenario& run) {
    torch::nn::Conv2d first(torch::nn::Conv2dOptions(3, 4, 3).padding(1)), second(torch::nn::Conv2dOptions(4, 4, 3).padding(1));
    torch::nn::BatchNorm2d norm(4);
    torch::nn::Sequential all(first, norm, second);
    all->to(run.device());
    all->eval();
    subject f(
        run, {{"x", {2, 3, 15, 15}}},
        [&](tensor_list& in) {
          const Tensor x = norm(first(in[0])).relu();
          return tensor_list{at::adaptive_avg_pool2d((second(x) + x).relu(), {1, 1}).flatten(1)};
        },
        {}, all.ptr().get());
    const c10::AutoGradMode no_grad(false);
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({2, 3, 15, 15})}));
    }
    f.expect_replays(4);
  });
}

// tensordict, TestCudaGraphs.test_state_dict: what was saved after graphed calls is loaded into another graphed module.
TEST_P(GraphedModule, SavedAndLoaded) {
  expect_same([](scenario& run) {
    torch::nn::Linear net(3, 4), loaded(3, 4);
    net->to(run.device());
    loaded->to(run.device());
    subject f(run, {{"x", {10, 3}}}, [&](tensor_list& in) { return tensor_list{net(in[0])}; }, {}, net.ptr().get());
    subject g(run, {{"x", {10, 3}}}, [&](tensor_list& in) { return tensor_list{loaded(in[0])}; }, {}, loaded.ptr().get());
    for (int step = 0; step < 5; ++step) {
      run.see("before", g({run.random({10, 3})}));
      f({run.random({10, 3})});
    }
    std::stringstream archive;
    torch::save(net, archive);
    torch::load(loaded, archive);
    for (int step = 0; step < 5; ++step) {
      const Tensor x = run.random({10, 3});
      const Tensor y = f({x})[0], z = g({x})[0];
      EXPECT_TRUE(same_bits(y, z));
      run.see("y", y);
    }
  });
}

// tensordict, TestCudaGraphs.test_tdmodule, and input_dict of make_graphed_callables: several named tensors in and out.
TEST_P(GraphedModule, ListOfTensorsInAndOut) {
  expect_same([](scenario& run) {
    const std::vector<argument> list{{"td[0]", {5}}, {"td[1]", {5}, at::kLong}, {"td[2]", {2, 5}}, {"td[3]", {5}}};
    settings how;
    how.list = true;
    subject f(run, list, [](tensor_list& in) { return tensor_list{in[0] + 1, in[1] * 2, in[2] + in[3], in[0]}; }, how);
    for (int step = 0; step < 8; ++step) {
      run.see("y", f({run.random({5}), at::randint(9, {5}, run.options(at::kLong)), run.random({2, 5}), run.random({5})}));
    }
    f.expect_replays(6);
  });
}

// test_cudagraph_trees.py, test_conv_benchmark: the flag has a capture of its own, and a convolution under it is captured.
TEST_P(GraphedModule, ConvolutionUnderBenchmark) {
  scenario run(device(), true);
  torch::nn::Conv2d convolution(5, 6, 3);
  convolution->to(run.device());
  subject f(run, {{"x", {2, 5, 16, 16}}}, [&](tensor_list& in) { return tensor_list{convolution(in[0])}; }, {}, convolution.ptr().get());
  for (const bool benchmark : {false, true, false, true, false, true, false, true}) {
    at::globalContext().setBenchmarkCuDNN(benchmark);
    EXPECT_EQ(f({run.random({2, 5, 16, 16})})[0].sizes(), at::IntArrayRef({2, 6, 14, 14}));
  }
  at::globalContext().setBenchmarkCuDNN(false);
  f.expect_captures(2);
  f.expect_replays(4);
}

}  // namespace module_test
