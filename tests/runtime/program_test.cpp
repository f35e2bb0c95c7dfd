// SPDX-License-Identifier: Apache-2.0
//
// Operators and modules of many kinds: six training steps each, of which four are replayed.
#include "support/device_test.h"

#include <torch/nn.h>

namespace program_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;
namespace nn = torch::nn;

GRAPHED_DEVICE_TEST_SUITE(Program);

/// Trains `make(run)`'s module, called on tensors of `shape`, by gradient descent.
template <class Module>
void expect_same_training(c10::Device device, const std::vector<int64_t>& shape, Module (*make)(),
                          Tensor (*forward)(Module&, const Tensor&)) {
  expect_same(device, [&](scenario& run) {
    Module module = make();
    module->to(run.device());
    subject f(run, {{"x", shape}}, [&](tensor_list& in) { return tensor_list{forward(module, in[0])}; }, {}, module.ptr().get());
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random(shape)})[0];
      run.see("y", y);
      y.pow(2).mean().backward();
      const c10::AutoGradMode no_grad(false);
      for (const auto& parameter : module->named_parameters()) {
        if (parameter.value().grad().defined()) {
          parameter.value().sub_(parameter.value().grad(), 0.1);
        }
        run.see_grad(parameter.key(), parameter.value());
      }
    }
    f.expect_replays(4, 4);
  });
}

template <class Module>
Tensor call(Module& module, const Tensor& x) {
  return module->forward(x);
}

TEST_P(Program, Perceptron) {
  expect_same_training<nn::Sequential>(
      device(), {32, 16},
      [] { return nn::Sequential(nn::Linear(16, 32), nn::GELU(), nn::LayerNorm(nn::LayerNormOptions({32})), nn::Linear(32, 4)); },
      [](nn::Sequential& net, const Tensor& x) { return net->forward(x); });
}

TEST_P(Program, ConvolutionsAndPooling) {
  expect_same_training<nn::Sequential>(
      device(), {4, 3, 12, 12},
      [] {
        return nn::Sequential(nn::Conv2d(nn::Conv2dOptions(3, 6, 3).stride(2).padding(1)), nn::GroupNorm(nn::GroupNormOptions(2, 6)),
                              nn::SiLU(), nn::MaxPool2d(2), nn::Conv2d(nn::Conv2dOptions(6, 6, 3).groups(3)), nn::Flatten());
      },
      [](nn::Sequential& net, const Tensor& x) { return net->forward(x); });
}

TEST_P(Program, TransposedConvolution) {
  expect_same_training<nn::ConvTranspose2d>(
      device(), {2, 4, 5, 5}, [] { return nn::ConvTranspose2d(nn::ConvTranspose2dOptions(4, 3, 3).stride(2)); }, call<nn::ConvTranspose2d>);
}

TEST_P(Program, LongShortTermMemory) {
  expect_same_training<nn::LSTM>(
      device(), {7, 3, 6}, [] { return nn::LSTM(nn::LSTMOptions(6, 5).num_layers(2)); },
      [](nn::LSTM& lstm, const Tensor& x) { return std::get<0>(lstm->forward(x)); });
}

TEST_P(Program, Bilinear) {
  expect_same_training<nn::Bilinear>(
      device(), {8, 5}, [] { return nn::Bilinear(5, 5, 3); },
      [](nn::Bilinear& layer, const Tensor& x) { return layer->forward(x, x * 2); });
}

TEST_P(Program, BatchNormWithoutStatistics) {
  expect_same_training<nn::BatchNorm1d>(
      device(), {16, 5}, [] { return nn::BatchNorm1d(nn::BatchNormOptions(5).track_running_stats(false)); }, call<nn::BatchNorm1d>);
}

/// The same for a function of x and a weight.
void expect_same_function(c10::Device device, const std::vector<int64_t>& x_shape, const std::vector<int64_t>& w_shape,
                          const std::function<Tensor(const Tensor&, const Tensor&)>& function) {
  expect_same(device, [&](scenario& run) {
    subject f(run, {{"x", x_shape}, {"w", w_shape, at::kFloat, true}},
              [&](tensor_list& in) { return tensor_list{function(in[0], in[1])}; });
    const Tensor w = run.leaf(w_shape);
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random(x_shape), w})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(Program, Attention) {
  expect_same_function(device(), {2, 4, 10, 8}, {8, 8}, [](const Tensor& x, const Tensor& w) {
    const Tensor q = x.matmul(w);
    return at::scaled_dot_product_attention(q, x, x, std::nullopt, 0.0, /*is_causal=*/true);
  });
}

TEST_P(Program, Embedding) {
  expect_same([](scenario& run) {
    subject f(run, {{"indices", {12}, at::kLong}, {"w", {20, 6}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{at::embedding(in[1], in[0]).tanh()}; });
    const Tensor w = run.leaf({20, 6});
    for (int step = 0; step < 6; ++step) {
      f({at::randperm(20, run.options(at::kLong)).narrow(0, 0, 12), w})[0].sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(Program, ClassificationLoss) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {12, 5}}, {"labels", {12}, at::kLong}, {"w", {5, 4}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{at::cross_entropy_loss(in[0].matmul(in[2]), in[1])}; });
    const Tensor w = run.leaf({5, 4});
    for (int step = 0; step < 6; ++step) {
      const Tensor loss = f({run.random({12, 5}), at::randint(4, {12}, run.options(at::kLong)), w})[0];
      run.see("loss", loss);
      loss.backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(Program, GatherScatterAndWhere) {
  expect_same_function(device(), {8, 6}, {8, 6}, [](const Tensor& x, const Tensor& w) {
    const Tensor order = x.argsort(int64_t{1});
    const Tensor gathered = w.gather(1, order);
    return at::where(x > 0, gathered, at::zeros_like(w).scatter(1, order, gathered * 2));
  });
}

TEST_P(Program, InPlaceOnIntermediateTensors) {
  expect_same_function(device(), {8, 6}, {8, 6}, [](const Tensor& x, const Tensor& w) {
    Tensor y = x * w;
    y.add_(x).mul_(2);
    y.narrow(1, 0, 3).copy_(x.narrow(1, 3, 3).exp());
    y[2].fill_(1.5);
    Tensor filled = at::empty_like(y);
    filled.copy_(y);
    return at::cat({filled, y.relu_()});
  });
}

TEST_P(Program, IndexPutByIntegers) {
  expect_same_function(device(), {8, 6}, {3, 6}, [](const Tensor& x, const Tensor& w) {
    return x.clone().index_put_({x.select(1, 0).argsort(int64_t{0}).narrow(0, 0, 3)}, w);
  });
}

TEST_P(Program, SortedAndAccumulated) {
  expect_same_function(device(), {8, 6}, {6, 6}, [](const Tensor& x, const Tensor& w) {
    const auto [top, indices] = x.matmul(w).topk(3, 1);
    return std::get<0>(top.sort(0)).cumsum(0).logsumexp(1);
  });
}

TEST_P(Program, EinsumAndFourier) {
  expect_same_function(device(), {4, 6, 8}, {8, 5},
                       [](const Tensor& x, const Tensor& w) { return at::real(at::fft_rfft(at::einsum("bij,jk->bki", {x, w}))).tanh(); });
}

TEST_P(Program, ManyTensorsAtOnce) {
  expect_same([](scenario& run) {
    const tensor_list state{at::zeros({8}, run.options()), at::zeros({3, 4}, run.options())};
    subject f(run, {{"a", {8}}, {"b", {3, 4}}}, [&](tensor_list& in) {
      at::_foreach_mul_(state, 0.9);
      at::_foreach_add_(state, in, 0.1);
      return tensor_list(at::_foreach_sqrt(at::_foreach_abs(state)));
    });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({8}), run.random({3, 4})}));
      run.see("state", state);
    }
    f.expect_replays(4);
  });
}

TEST_P(Program, FusedOptimizer) {
  expect_same([](scenario& run) {
    const Tensor w = run.random({8, 4}), average = at::zeros_like(w), square = at::zeros_like(w), steps = at::zeros({}, run.options());
    subject f(run, {{"gradient", {8, 4}, at::kFloat, false, /*inplace=*/true}}, [&](tensor_list& in) {
      steps.add_(1);
      at::_fused_adam_({w}, {in[0]}, {average}, {square}, {}, {steps}, 0.01, 0.9, 0.999, 0.0, 1e-8, false, false);
      return tensor_list{};
    });
    for (int step = 0; step < 8; ++step) {
      f({run.random({8, 4})});
      run.see("state", tensor_list{w, average, square, steps});
    }
    f.expect_replays(6);
  });
}

}  // namespace program_test
