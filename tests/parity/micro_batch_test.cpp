// SPDX-License-Identifier: Apache-2.0
//
// Several micro-batches in one step: whose the gradients are, how they add up, and forwards and backwards that interleave.
#include "support/device_test.h"

#include <torch/autograd.h>
#include <torch/nn.h>
#include <torch/optim/sgd.h>

#include <map>

namespace micro_batch_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(MicroBatch);

constexpr int64_t width = 16;
const std::vector<argument> layer_arguments{{"x", {8, width}}, {"w", {width, width}, at::kFloat, true}};

tensor_list layer(tensor_list& in) { return {in[0].matmul(in[1]).tanh()}; }

// TransformerEngine, test_make_graphed_callables_returns_owned_parameter_grads.
void expect_gradients_of_their_own(c10::Device device, OutputPolicy outputs) {
  scenario run(device, true);
  subject f(run, layer_arguments, layer, {2, outputs});
  const Tensor w = run.leaf({width, width});
  tensor_list seen, copies;
  std::vector<const void*> addresses;
  w.register_hook([&](const Tensor& gradient) {
    seen.push_back(gradient);
    copies.push_back(gradient.clone());
    addresses.push_back(gradient.const_data_ptr());
    return gradient;
  });
  for (int step = 0; step < 6; ++step) {
    f({run.random({8, width}), w})[0].backward(run.random({8, width}));
    w.mutable_grad() = Tensor();
  }
  f.expect_replays(4, 4);
  ASSERT_EQ(seen.size(), 6U);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_TRUE(same_bits(seen[i], copies[i])) << "step " << i;
    EXPECT_EQ(seen[i].const_data_ptr(), addresses[i]) << "step " << i;
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(seen[i].is_alias_of(seen[j])) << i << " and " << j;
      EXPECT_NE(seen[i].const_data_ptr(), seen[j].const_data_ptr()) << i << " and " << j;
    }
  }
}

TEST_P(MicroBatch, GradientTakenByAHookIsItsOwn) { expect_gradients_of_their_own(device(), OutputPolicy::Keep); }
TEST_P(MicroBatch, CopiedGradientTakenByAHookIsItsOwn) { expect_gradients_of_their_own(device(), OutputPolicy::Clone); }

// TransformerEngine, test_make_graphed_callables_accumulates_owned_parameter_grads.
TEST_P(MicroBatch, GradientsOfTwoAddUpFromNothing) {
  expect_same([](scenario& run) {
    torch::nn::Linear net(torch::nn::LinearOptions(width, width).bias(false));
    net->to(run.device());
    subject f(run, {{"x", {8, width}}}, [&](tensor_list& in) { return tensor_list{net(in[0])}; }, {}, net.ptr().get());
    for (int step = 0; step < 6; ++step) {
      net->zero_grad(/*set_to_none=*/true);
      for (int micro_batch = 0; micro_batch < 2; ++micro_batch) {
        f({run.random({8, width})})[0].backward(run.random({8, width}));
      }
      run.see("gradient", net->weight.grad());
    }
    f.expect_replays(10, 10);
  });
}

// TransformerEngine, test_make_graphed_callables_can_skip_returned_parameter_grad_clone asks for gradients in the graph's own memory, whose
// content the next backward replaces. Under outputs = alias a gradient that is used at once is right.
TEST_P(MicroBatch, AliasedGradientIsRightUntilTheNextBackward) {
  expect_same([](scenario& run) {
    subject f(run, layer_arguments, layer, {2, OutputPolicy::Alias});
    const Tensor w = run.leaf({width, width});
    w.register_hook([&](const Tensor& gradient) {
      run.see("gradient", gradient);
      return gradient;
    });
    for (int step = 0; step < 6; ++step) {
      f({run.random({8, width}), w})[0].sum().backward();
      w.mutable_grad() = Tensor();
    }
    f.expect_replays(4, 4);
  });
}

// The same under outputs = alias as under keep: accumulation over two backwards.
TEST_P(MicroBatch, AliasedGradientsOfTwoAddUp) {
  expect_same([](scenario& run) {
    subject f(run, layer_arguments, layer, {2, OutputPolicy::Alias});
    const Tensor w = run.leaf({width, width});
    for (int step = 0; step < 6; ++step) {
      w.mutable_grad() = at::zeros_like(w);
      for (int micro_batch = 0; micro_batch < 2; ++micro_batch) {
        f({run.random({8, width}), w})[0].sum().backward();
      }
      run.see("gradient", w.grad());
    }
  });
}

struct pipeline {
  int layer;
  int micro_batch;
  bool forward;
};

/// [1, 2, 1, 2, -2, -1, 1, 2, -2, -1, -2, -1] in TransformerEngine's notation: layers forward, layers back.
const std::vector<pipeline> interleaved{{0, 0, true}, {1, 0, true}, {0, 1, true},  {1, 1, true},  {1, 0, false}, {0, 0, false},
                                        {0, 2, true}, {1, 2, true}, {1, 1, false}, {0, 1, false}, {1, 2, false}, {0, 2, false}};

enum class results { kept, copied_at_once };

void expect_pipeline_as_eager(c10::Device device, settings how, results see, c10::ScalarType dtype) {
  expect_same(device, [&](scenario& run) {
    torch::nn::ModuleList layers(torch::nn::Linear(width, width), torch::nn::Linear(width, width));
    layers->to(run.device(), dtype);
    std::vector<std::unique_ptr<subject>> graphed;
    for (std::size_t i = 0; i < 2; ++i) {
      graphed.push_back(std::make_unique<subject>(
          run, std::vector<argument>{{"x", {8, width}, dtype, true}},
          [&, i](tensor_list& in) { return tensor_list{layers->ptr<torch::nn::LinearImpl>(i)->forward(in[0])}; }, how,
          layers->ptr(i).get()));
    }
    for (const auto& parameter : layers->parameters()) {
      parameter.mutable_grad() = at::empty_like(parameter);
    }
    torch::optim::SGD optimizer(layers->parameters(), 0.001);
    for (int step = 0; step < 4; ++step) {
      optimizer.zero_grad(/*set_to_none=*/false);
      std::map<std::pair<int, int>, Tensor> outputs, inputs, snapshots;
      for (const auto& stage : interleaved) {
        const std::pair key(stage.layer, stage.micro_batch);
        if (stage.forward) {
          inputs[key] = run.leaf({8, width}, dtype);
          outputs[key] = (*graphed[static_cast<std::size_t>(stage.layer)])({inputs[key]})[0];
          snapshots[key] = outputs[key].detach().clone();
        } else {
          outputs[key].backward(run.random({8, width}, dtype));
          run.see_grad("input", inputs[key]);
        }
      }
      for (const auto& [key, output] : see == results::kept ? outputs : snapshots) {
        run.see("output", output);
      }
      optimizer.step();
    }
    for (const auto& parameter : layers->parameters()) {
      run.see("parameter", parameter);
      run.see("gradient", parameter.grad());
    }
    graphed[0]->expect_replays(10, 10);
    graphed[1]->expect_replays(10, 10);
    graphed[0]->expect_captures(2);
  });
}

// TransformerEngine, test_make_graphed_callables_with_interleaved_pipeline_parallelism.
TEST_P(MicroBatch, InterleavedPipeline) { expect_pipeline_as_eager(device(), {}, results::kept, at::kFloat); }
TEST_P(MicroBatch, InterleavedPipelineInHalfPrecision) { expect_pipeline_as_eager(device(), {}, results::kept, at::kHalf); }

// ..._with_interleaved_pipeline_parallelism_reused_buffers: results that show the graph's memory, good until their backward.
TEST_P(MicroBatch, InterleavedPipelineInTheGraphsOwnMemory) {
  expect_pipeline_as_eager(device(), {2, OutputPolicy::Alias}, results::copied_at_once, at::kHalf);
}

// ..._reused_buffers_no_param_grad_clone, the other way round: copies throughout.
TEST_P(MicroBatch, InterleavedPipelineOfCopies) { expect_pipeline_as_eager(device(), {2, OutputPolicy::Clone}, results::kept, at::kHalf); }

// test_cudagraph_trees.py, test_accumulate_grad: without create_graph the gradient is added in place, with it out of place.
TEST_P(MicroBatch, SecondBackwardAddsInPlaceOrNot) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {5, 5}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0] + 2}; });
    for (int step = 0; step < 6; ++step) {
      for (const bool create_graph : {false, true}) {
        const Tensor x = run.leaf({5, 5}), gradient = at::ones({5, 5}, run.options());
        const Tensor y = f({x})[0];
        y.backward(gradient, /*retain_graph=*/true);
        const Tensor first = x.grad(), copy = x.grad().clone();
        y.backward(gradient, /*retain_graph=*/true, create_graph);
        EXPECT_TRUE(same_bits(first, create_graph ? copy : copy * 2)) << "step " << step << ", create_graph " << create_graph;
        run.see("first", first);
        run.see("sum", x.grad().detach());
        x.mutable_grad() = Tensor();  // with create_graph it holds the graph that holds it
      }
    }
  });
}

// The usual loop of gradient accumulation: the loss is divided, and the step comes after every fourth backward.
TEST_P(MicroBatch, OptimizerStepsAfterEveryFourth) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({width, width});
    subject f(run, layer_arguments, layer);
    torch::optim::SGD optimizer({w}, torch::optim::SGDOptions(0.1).momentum(0.9));
    for (int micro_batch = 0; micro_batch < 20; ++micro_batch) {
      const Tensor loss = f({run.random({8, width}), w})[0].pow(2).mean() / 4;
      run.see("loss", loss);
      loss.backward();
      if (micro_batch % 4 == 3) {
        optimizer.step();
        optimizer.zero_grad(/*set_to_none=*/micro_batch % 8 == 7);
      }
    }
    run.see("w", w);
    f.expect_replays(18, 18);
  });
}

// tensordict, TestCudaGraphs.test_backprop: zero_grad, forward, backward and step in one callable.
TEST_P(MicroBatch, WholeStepInsideTheCallable) {
  expect_same([](scenario& run) {
    const Tensor x = at::ones({3}, run.options()).requires_grad_(), y = at::ones({3}, run.options()).requires_grad_();
    torch::optim::SGD optimizer({x, y}, 1.0);
    subject step(run, {},
                 [&](tensor_list&) {
                   optimizer.zero_grad();
                   (x + y).sum().backward();
                   optimizer.step();
                   return tensor_list{};
                 },
                 {4});
    for (int i = 1; i <= 10; ++i) {
      step({});
      EXPECT_TRUE(same_bits(x.detach(), at::full({3}, 1.0 - i, run.options()))) << i;
      run.see("x", x);
      run.see("y", y);
      run.see("x.grad", x.grad());
    }
  });
}

}  // namespace micro_batch_test
