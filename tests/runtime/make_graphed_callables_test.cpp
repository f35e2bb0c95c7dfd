// SPDX-License-Identifier: Apache-2.0
//
// Callables described by sample arguments and captured at once: what is left behind, and that they compute the same.
#include "support/group.h"
#include "support/standalone.h"

#include <graphed/callables.h>
#include <graphed/error.h>

#include <torch/nn.h>

#include <tuple>

namespace make_graphed_callables_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(MakeGraphedCallables);

struct NormImpl : torch::nn::Module {
  NormImpl(int64_t in, int64_t out)
      : linear(register_module("linear", torch::nn::Linear(in, out))),
        norm(register_module("norm", torch::nn::BatchNorm1d(out))),
        dropout(register_module("dropout", torch::nn::Dropout(0.25))) {}
  Tensor forward(Tensor x) { return dropout(norm(linear(x)).tanh()); }

  torch::nn::Linear linear;
  torch::nn::BatchNorm1d norm;
  torch::nn::Dropout dropout;
};
TORCH_MODULE(Norm);

struct CellImpl : torch::nn::Module {
  CellImpl() : linear(register_module("linear", torch::nn::Linear(8, 8))) {}
  std::tuple<Tensor, Tensor> forward(const Tensor& x, const Tensor& state) {
    const Tensor next = linear(x + state).tanh();
    return {next * 2, next};
  }

  torch::nn::Linear linear;
};
TORCH_MODULE(Cell);

void descend(torch::nn::Module& module) {
  const c10::AutoGradMode no_grad(false);
  for (auto& parameter : module.parameters()) {
    parameter.sub_(parameter.grad(), 0.1);
    parameter.mutable_grad().reset();
  }
}

void see(scenario& run, const torch::nn::Module& module) {
  for (const auto& tensor : module.named_parameters()) {
    run.see(tensor.key(), tensor.value());
    run.see(tensor.key() + ".grad is defined", tensor.value().grad().defined());
  }
  for (const auto& tensor : module.named_buffers()) {
    run.see(tensor.key(), tensor.value());
  }
}

TEST_P(MakeGraphedCallables, TwoModulesInARowTrainAsPlainly) {
  for (const bool shared : {false, true}) {
    expect_same([shared](scenario& run) {
      auto encoder = on(run.device(), Norm(8, 6)), decoder = on(run.device(), Norm(6, 4));
      GraphedOptions options;
      options.pool = shared ? graph_pool_handle(run.device()) : PoolHandle();
      const group f(run, {encoder, decoder}, {{run.random({16, 8}).zero_()}, {run.leaf({16, 6})}}, options);
      torch::manual_seed(1);
      for (int step = 0; step < 4; ++step) {
        const Tensor y = f(1, f(0, {run.random({16, 8})}))[0];
        run.see("y", y);
        y.square().sum().backward();
        descend(*encoder);
        descend(*decoder);
        see(run, *encoder);
        see(run, *decoder);
      }
      f.expect_captures(0, 1);
      f.expect_replays(0, 4, 4);
      f.expect_replays(1, 4, 4);
    });
  }
}

TEST_P(MakeGraphedCallables, LeavesNoTrace) {
  expect_same([](scenario& run) {
    auto net = on(run.device(), Norm(8, 4));
    const Tensor x = run.leaf({16, 8});
    const group f(run, {net}, {{x}});
    see(run, *net);
    run.see("x", x);
    run.see("x.grad is defined", x.grad().defined());
    run.see("random", run.random({4}));
    run.see("y", f(0, {x}));
    f.expect_replays(0, 1, 0);
  });
}

TEST_P(MakeGraphedCallables, UnusedInputsHaveNoGradient) {
  expect_same([](scenario& run) {
    const Tensor x = run.leaf({4}), unused = run.leaf({3});
    const group f(run, {{[](const tensor_list& in) { return tensor_list{in[0].exp()}; }}}, {{x, unused}});
    for (int step = 0; step < 2; ++step) {
      f(0, {x, unused})[0].sum().backward();
    }
    run.see_grad("x", x);
    run.see("unused", unused.grad().defined());
    f.expect_replays(0, 2, 2);
  });
}

TEST_P(MakeGraphedCallables, AModuleInTrainAndEval) {
  expect_same([](scenario& run) {
    auto net = on(run.device(), Norm(8, 4));
    const group f(run, {net}, {{run.random({16, 8}).zero_()}});
    torch::manual_seed(2);
    for (int step = 0; step < 8; ++step) {
      net->train(step % 2 == 0);
      const Tensor y = f(0, {run.random({16, 8})})[0];
      run.see("y", y);
      y.square().sum().backward();
      descend(*net);
      see(run, *net);
    }
    f.expect_captures(0, 2);
    f.expect_replays(0, 5, 5);  // eval warms up three times
  });
}

TEST_P(MakeGraphedCallables, ResultsAsATuple) {
  expect_same([](scenario& run) {
    auto cell = on(run.device(), Cell());
    const group f(run, {cell}, {{run.random({4, 8}), run.leaf({4, 8})}});
    const Tensor state = run.leaf({4, 8});
    const auto [y, next] = graphed::unpack<std::tuple<Tensor, Tensor>>(f(0, {run.random({4, 8}), state}));
    run.see("y", y);
    run.see("next", next);
    next.sum().backward();
    run.see_grad("state", state);
    f.expect_replays(0, 1, 1);
  });
}

TEST_P(MakeGraphedCallables, ACallThatDoesNotFitRunsPlainly) {
  expect_same([](scenario& run) {
    auto net = on(run.device(), torch::nn::Sequential(torch::nn::Linear(8, 4), torch::nn::Tanh()));
    const OriginalCallable forward([net](const tensor_list& in) mutable { return tensor_list{net->forward(in.back())}; }, net.ptr());
    const group f(run, {forward}, {{run.random({16, 8})}});
    const Tensor x = run.random({3, 8});
    run.see("another shape", f(0, {x}));
    run.see("two tensors", f(0, {x, x}));
    run.see("a fit", f(0, {run.random({16, 8})}));
    f.expect_replays(0, 1, 0);
  });
  EXPECT_EQ(warnings_.count(), 2U) << warnings_.all();
}

TEST_P(MakeGraphedCallables, AFailureInTheSecondLeavesNothingBehind) {
  const PoolHandle pool = graph_pool_handle(device());
  const auto opts = at::TensorOptions(device());
  const Tensor state = at::zeros({4}, opts), x = at::zeros({16, 8}, opts).requires_grad_();
  const OriginalCallable fits([state](const tensor_list& in) {
    state.add_(1);
    return tensor_list{at::dropout(in[0], 0.5, true)};
  });
  const OriginalCallable reads([](const tensor_list& in) { return tensor_list{in[0] * in[0].sum().item<float>()}; });
  const OriginalCallable reads_backward([](const tensor_list& in) {
    const Tensor middle = in[0] * 2;
    middle.register_hook([](const Tensor& gradient) { static_cast<void>(gradient.sum().item<float>()); });
    return tensor_list{middle.tanh()};
  });
  GraphedOptions options;
  options.name = "stage";
  options.pool = pool;
  torch::manual_seed(5);
  const Tensor expected = at::randn({4}, opts);
  for (const bool backward : {false, true}) {
    torch::manual_seed(5);
    const std::size_t rows = stats_all().rows.size();
    const std::string text =
        text_of<CaptureError>([&] { make_graphed_callables({fits, backward ? reads_backward : reads}, {{x}, {x}}, options); });
    EXPECT_TRUE(contains(text, backward ? "graphed: stage[1]: the capture of the backward failed at operator aten::_local_scalar_dense"
                                        : "graphed: stage[1]: the capture failed at operator aten::_local_scalar_dense"));
    EXPECT_EQ(stats_all().rows.size(), rows);
    EXPECT_TRUE(at::equal(state, at::zeros_like(state)));
    EXPECT_TRUE(at::equal(at::randn({4}, opts), expected));
    EXPECT_FALSE(x.grad().defined());
    if (device().is_cpu()) {  // elsewhere the allocator keeps segments
      EXPECT_EQ(pool.bytes_held(), 0U);
    }
  }
  const auto made = make_graphed_callable(fits, {x}, options);
  EXPECT_EQ(made.stats().captures, 1U) << "the pool is usable";
}

TEST_P(MakeGraphedCallables, AnOutputOutlivesItsCallableAndTheDescription) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 4}), x = run.random({16, 8});
    Tensor y;
    {
      const group f(run, {product(w)}, {{x}});
      y = f(0, {x})[0];
    }
    y.sum().backward();
    run.see_grad("w", w);
  });
}

TEST_P(MakeGraphedCallables, KeepsItsModuleAlive) {
  auto net = on(device(), Cell());
  net->eval();
  const std::weak_ptr<CellImpl> watched = net.ptr();
  const Tensor x = at::randn({4, 8}, at::TensorOptions(device())), state = at::randn_like(x);
  const tensor_list expected = packed([&] { return net->forward(x, state); });
  {
    const GraphedCallable f = make_graphed_callable(net, {x, state});
    net = nullptr;
    ASSERT_FALSE(watched.expired());
    const tensor_list y = f({x, state});
    EXPECT_TRUE(same_bits(y[0], expected[0]) && same_bits(y[1], expected[1]));
    y[0].sum().backward();
    EXPECT_TRUE(watched.lock()->linear->weight.grad().defined());
    EXPECT_EQ(f.stats().replays, 1U);
  }
  EXPECT_TRUE(watched.expired());
}

TEST_P(MakeGraphedCallables, WhatCannotBeIsRefused) {
  const Tensor x = at::zeros({4}, at::TensorOptions(device())).requires_grad_();
  const OriginalCallable f([](const tensor_list& in) { return tensor_list{in[0] * 2}; });
  const auto refused = [&](const std::vector<tensor_list>& samples, const GraphedOptions& options) {
    return text_of<Error>([&] { make_graphed_callables({f, f}, samples, options); });
  };
  const auto of_order = [&](std::vector<int> order) {
    GraphedOptions options;
    options.order = std::move(order);
    return refused({{x}, {x}}, options);
  };
  const std::string prefix = "graphed: make_graphed_callables: ";
  EXPECT_EQ(refused({{x}}, {}), prefix + "expected sample arguments for 2 callables, got 1");
  EXPECT_EQ(refused({{x}, {x, Tensor()}}, {}), prefix + "sample argument 1 of callable 2: expected a tensor, got an undefined one");
  EXPECT_EQ(of_order({1, 3}), prefix + "order: expected 1 to 2 or its negative, got 3");
  EXPECT_EQ(of_order({0}), prefix + "order: expected 1 to 2 or its negative, got 0");
  EXPECT_EQ(of_order({1, 2, -2, -2}), prefix + "order: -2 is a backward without a forward before it");
  EXPECT_EQ(of_order({1, 2, -2}), prefix + "order: a forward of callable 1 has no backward");
  EXPECT_EQ(of_order({1, -1}), prefix + "order: callable 2 is missing");
  GraphedOptions options;
  options.slots = 0;
  EXPECT_EQ(refused({{x}, {x}}, options), prefix + "expected one slot or more, got 0");
  options.slots = 1;
  options.outputs = OutputPolicy::Host;
  EXPECT_EQ(refused({{x}, {x}}, options), prefix + "outputs in the memory of the host are for annotated callables");
  options.outputs = OutputPolicy::Keep;
  options.slots = 2;
  options.pool = graph_pool_handle(device());
  EXPECT_TRUE(contains(refused({{x}, {x}}, options), "cannot share a pool"));
}

TEST_P(MakeGraphedCallables, MovedFromThrow) {
  const Tensor x = at::ones({3}, at::TensorOptions(device()));
  auto from = make_graphed_callable([](const tensor_list& in) { return tensor_list{in[0] * 2}; }, {x});
  const auto to = std::move(from);
  const auto expect_moved = [](const auto& use) {
    try {
      use();
      FAIL() << "no exception";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "graphed: this callable was moved from: use the one that it was moved to");
    }
  };
  expect_moved([&] { from(x); });  // NOLINT(bugprone-use-after-move): what is tested
  expect_moved([&] { from.stats(); });
  expect_moved([&] { from.explain(); });
  expect_moved([&] { from.reset(); });
  EXPECT_TRUE(at::equal(to(x)[0], x * 2));
}

}  // namespace make_graphed_callables_test
