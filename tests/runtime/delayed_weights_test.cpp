// SPDX-License-Identifier: Apache-2.0
//
// Backwards in two graphs: the arguments' gradients at once, the weights' when they are asked for.
#include "support/standalone.h"

#include <graphed/make_graphed_callables.h>

#include <torch/nn.h>

namespace delayed_weights_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(DelayedWeights);

/// Layers of several kinds, one weight used twice, one that no argument's gradient passes.
struct StageImpl : torch::nn::Module {
  StageImpl()
      : first(register_module("first", torch::nn::Linear(8, 8))),
        conv(register_module("conv", torch::nn::Conv1d(torch::nn::Conv1dOptions(1, 2, 3).padding(1)))),
        norm(register_module("norm", torch::nn::LayerNorm(std::vector<int64_t>{16}))),
        last(register_module("last", torch::nn::Linear(16, 8))),
        scale(register_parameter("scale", torch::full({8}, 1.5))) {}
  Tensor forward(const Tensor& x) {
    Tensor h = first(x).tanh() + x;
    h = first(h * scale).relu();
    h = conv(h.unsqueeze(1)).flatten(1);
    return last(norm(h)) + (scale * 2).sin();
  }

  torch::nn::Linear first;
  torch::nn::Conv1d conv;
  torch::nn::LayerNorm norm;
  torch::nn::Linear last;
  Tensor scale;
};
TORCH_MODULE(Stage);

Stage stage_on(c10::Device device) {
  Stage made;
  made->to(device);
  return made;
}

graphed_options delayed(int slots = 1) {
  graphed_options options;
  options.delay_weights = true;
  options.slots = slots;
  return options;
}

/// A stage of a pipeline: graphed with delayed weights, or plain.
class stage {
 public:
  stage(scenario& run, Stage net, bool input_has_gradient, int slots = 1) : run_(run), net_(net) {
    if (run.graphed()) {
      const Tensor sample = run.random({4, 8}).zero_().requires_grad_(input_has_gradient);
      graphed_.push_back(make_graphed_callable(net, {sample}, delayed(slots)));
    }
    torch::manual_seed(7);
  }
  Tensor operator()(const Tensor& x) { return run_.graphed() ? graphed_[0](x)[0] : net_(x); }
  bool backward_weights() { return !run_.graphed() || graphed_[0].backward_weights(); }
  bool any_gradient() const {
    bool found = false;
    for (const auto& parameter : net_->parameters()) {
      found |= parameter.grad().defined();
    }
    return found;
  }
  void see_gradients() {
    for (const auto& parameter : net_->named_parameters()) {
      run_.see(parameter.key(), parameter.value().grad());
    }
    net_->zero_grad(/*set_to_none=*/true);
  }
  statistics stats() const { return graphed_[0].stats(); }

 private:
  scenario& run_;
  Stage net_;
  std::vector<graphed_callable> graphed_;
};

TEST_P(DelayedWeights, ComeWhenTheyAreAskedFor) {
  expect_same([](scenario& run) {
    stage f(run, stage_on(run.device()), /*input_has_gradient=*/true);
    for (int step = 0; step < 5; ++step) {
      const Tensor x = run.leaf({4, 8});
      f(x).backward(run.random({4, 8}));
      run.see("x.grad", x.grad());
      EXPECT_EQ(f.any_gradient(), !run.graphed());
      EXPECT_TRUE(f.backward_weights());
      f.see_gradients();
    }
    if (run.graphed()) {
      const statistics stats = f.stats();
      EXPECT_EQ(stats.replays, 5U) << stats;
      EXPECT_EQ(stats.backward_replays, 5U) << stats;
      EXPECT_EQ(stats.weight_replays, 5U) << stats;
      EXPECT_FALSE(f.backward_weights());
    }
  });
}

TEST_P(DelayedWeights, OfAFirstStageWhoseInputHasNoGradient) {
  expect_same([](scenario& run) {
    stage f(run, stage_on(run.device()), /*input_has_gradient=*/false);
    for (int step = 0; step < 4; ++step) {
      f(run.random({4, 8})).backward(run.random({4, 8}));
      EXPECT_EQ(f.any_gradient(), !run.graphed());
      EXPECT_TRUE(f.backward_weights());
      f.see_gradients();
    }
  });
}

// The order of a zero-bubble pipeline: all backwards for the stage before, then all weights, micro-batch by micro-batch.
TEST_P(DelayedWeights, OfSeveralMicroBatchesAddUpInTheirOrder) {
  expect_same([](scenario& run) {
    stage f(run, stage_on(run.device()), /*input_has_gradient=*/true, /*slots=*/3);
    for (int step = 0; step < 3; ++step) {
      std::vector<Tensor> inputs, results;
      for (int batch = 0; batch < 3; ++batch) {
        inputs.push_back(run.leaf({4, 8}));
        results.push_back(f(inputs.back()));
      }
      for (int batch = 0; batch < 3; ++batch) {
        results[static_cast<std::size_t>(batch)].backward(run.random({4, 8}));
        run.see("x.grad", inputs[static_cast<std::size_t>(batch)].grad());
      }
      for (int batch = 0; batch < 3; ++batch) {
        EXPECT_TRUE(f.backward_weights());
      }
      f.see_gradients();
    }
  });
}

TEST_P(DelayedWeights, HoldTheirSlotUntilThen) {
  scenario run(device(), true);
  stage f(run, stage_on(device()), /*input_has_gradient=*/true);
  const Tensor gradient = run.random({4, 8});
  f(run.leaf({4, 8})).backward(gradient);
  f(run.leaf({4, 8})).backward(gradient);  // plainly: its weights' gradients come at once
  EXPECT_TRUE(f.any_gradient());
  EXPECT_EQ(f.stats().misses[static_cast<std::size_t>(miss::slots)], 1U);
  EXPECT_TRUE(f.backward_weights());
  EXPECT_FALSE(f.backward_weights());
  f(run.leaf({4, 8}));
  EXPECT_EQ(f.stats().replays, 2U);
}

TEST_P(DelayedWeights, HooksSeeThemThenAndMayKeepThem) {
  expect_same([](scenario& run) {
    const Stage net = stage_on(run.device());
    stage f(run, net, /*input_has_gradient=*/true);
    tensor_list seen;
    net->last->weight.register_hook([&](const Tensor& gradient) {
      seen.push_back(gradient);
      return gradient * 2;
    });
    for (int step = 0; step < 4; ++step) {
      f(run.leaf({4, 8})).backward(run.random({4, 8}));
      f.backward_weights();
      f.see_gradients();
    }
    run.see("seen", seen);
  });
}

// The first layer's weight needs the argument.
TEST_P(DelayedWeights, ChangedArgumentIsEagersError) {
  scenario run(device(), true);
  stage f(run, stage_on(device()), /*input_has_gradient=*/true);
  const Tensor x = run.leaf({4, 8});
  f(x).backward(run.random({4, 8}));
  {
    const c10::AutoGradMode no_grad(false);
    x.mul_(2);
  }
  EXPECT_TRUE(contains(text_of<c10::Error>([&] { f.backward_weights(); }), "modified by an inplace operation"));
  EXPECT_FALSE(f.backward_weights());
  f(x);  // the slot is free again
  EXPECT_EQ(f.stats().replays, 2U);
}

TEST_P(DelayedWeights, OfGradientsThatAreNotDense) {
  expect_same([](scenario& run) {
    stage f(run, stage_on(run.device()), /*input_has_gradient=*/true);
    for (int step = 0; step < 4; ++step) {
      const Tensor x = run.leaf({4, 8});
      f(x).sum().backward();
      run.see("x.grad", x.grad());
      f.backward_weights();
      f.see_gradients();
    }
  });
}

TEST_P(DelayedWeights, ChangedGradientOfTheInputIsTheCallersOwn) {
  expect_same([](scenario& run) {
    torch::nn::Linear net(8, 8);
    net->to(run.device());
    const auto residual = [&net](const tensor_list& in) { return tensor_list{in[0] + net(in[0])}; };
    const Tensor b = run.leaf({4, 8});
    const auto with_bias = [b](const tensor_list& in) { return tensor_list{in[0] + b}; };
    std::vector<graphed_callable> graphed;
    if (run.graphed()) {
      graphed.push_back(make_graphed_callable({residual, net.ptr()}, {at::zeros({4, 8}, run.options()).requires_grad_()}, delayed()));
      graphed.push_back(make_graphed_callable(with_bias, {at::zeros({4, 8}, run.options()).requires_grad_()}, delayed()));
    }
    for (int step = 0; step < 4; ++step) {
      const Tensor x = run.leaf({4, 8});
      const Tensor y = run.graphed() ? graphed[1](graphed[0](tensor_list{x}))[0] : with_bias(residual(tensor_list{x}))[0];
      x.register_hook([](Tensor gradient) { return gradient.mul_(3); });
      y.backward(run.random({4, 8}));
      for (auto& one : graphed) {
        EXPECT_TRUE(one.backward_weights());
      }
      run.see("x.grad", x.grad());
      run.see_grad("w.grad", net->weight);
      run.see_grad("b.grad", b);
    }
  });
}

TEST_P(DelayedWeights, NotWithAPool) {
  graphed_options options = delayed();
  options.pool = graph_pool_handle(device());
  const Tensor sample = at::zeros({4, 8}, device()).requires_grad_();
  EXPECT_TRUE(contains(text_of<error>([&] { make_graphed_callable(stage_on(device()), {sample}, options); }), "leave `pool` empty"));
  options.pool = {};
  options.grads_in_graph = true;
  EXPECT_TRUE(contains(text_of<error>([&] { make_graphed_callable(stage_on(device()), {sample}, options); }), "leave `grads_in_graph`"));
}

}  // namespace delayed_weights_test
