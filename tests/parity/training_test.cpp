// SPDX-License-Identifier: Apache-2.0
//
// Networks of three layers, graphed whole or layer by layer, trained by SGD over two micro-batches a step into gradients that exist
// already. Upstream, where nothing else is said: TransformerEngine, test_cuda_graphs.py, test_make_graphed_callables.
#include "support/device_test.h"

#include <torch/autograd.h>
#include <torch/nn.h>
#include <torch/optim/sgd.h>

namespace training_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Training);

constexpr int64_t sequence = 8, batch = 2, width = 16, heads = 2;
const std::vector<int64_t> shape{sequence, batch, width};

struct layer : torch::nn::Module {
  virtual Tensor forward(const Tensor& x) = 0;
};

struct linear_layer : layer {
  Tensor forward(const Tensor& x) override { return linear(x); }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(width, width));
};

struct norm_linear_layer : layer {
  Tensor forward(const Tensor& x) override { return linear(norm(x)); }
  torch::nn::LayerNorm norm = register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(width, width));
};

struct perceptron_layer : layer {
  Tensor forward(const Tensor& x) override { return down(at::gelu(up(norm(x)))); }
  torch::nn::LayerNorm norm = register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
  torch::nn::Linear up = register_module("up", torch::nn::Linear(width, 2 * width));
  torch::nn::Linear down = register_module("down", torch::nn::Linear(2 * width, width));
};

Tensor attend(const Tensor& qkv) {
  const auto parts = qkv.view({sequence, batch, heads, 3 * width / heads}).permute({1, 2, 0, 3}).chunk(3, -1);
  const Tensor y = at::scaled_dot_product_attention(parts[0], parts[1], parts[2]);
  return y.permute({2, 0, 1, 3}).reshape({sequence, batch, width});
}

struct attention_layer : layer {
  Tensor forward(const Tensor& x) override { return out(attend(in(x))); }
  torch::nn::Linear in = register_module("in", torch::nn::Linear(width, 3 * width));
  torch::nn::Linear out = register_module("out", torch::nn::Linear(width, width));
};

struct transformer_layer : layer {
  Tensor forward(const Tensor& x) override {
    const Tensor attended = x + attention->forward(norm(x));
    return attended + perceptron->forward(attended);
  }
  torch::nn::LayerNorm norm = register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
  std::shared_ptr<attention_layer> attention = register_module("attention", std::make_shared<attention_layer>());
  std::shared_ptr<perceptron_layer> perceptron = register_module("perceptron", std::make_shared<perceptron_layer>());
};

/// Keeps its input alone, and computes the inside once more in the backward.
struct Recomputed : torch::autograd::Function<Recomputed> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, const Tensor& up, const Tensor& down) {
    context->save_for_backward({x, up, down});
    return inside(x, up, down);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, torch::autograd::variable_list gradients) {
    auto saved = context->get_saved_variables();
    for (auto& tensor : saved) {
      tensor = tensor.detach().requires_grad_();
    }
    const c10::AutoGradMode gradients_on(true);
    return torch::autograd::grad({inside(saved[0], saved[1], saved[2])}, saved, gradients);
  }
  static Tensor inside(const Tensor& x, const Tensor& up, const Tensor& down) { return at::gelu(x.matmul(up)).matmul(down); }
};

struct checkpointed_layer : perceptron_layer {
  Tensor forward(const Tensor& x) override { return Recomputed::apply(norm(x), up->weight.t(), down->weight.t()); }
};

enum class graphs { whole, by_layer };

template <class Layer>
void expect_trained_as_eager(c10::Device device, graphs graphs, c10::ScalarType dtype) {
  expect_same(device, [&](scenario& run) {
    torch::nn::ModuleList layers;
    for (int i = 0; i < 3; ++i) {
      layers->push_back(std::make_shared<Layer>());
    }
    layers->to(run.device(), dtype);
    const auto apply = [&](std::size_t i, const Tensor& x) { return layers->ptr<layer>(i)->forward(x); };
    for (const auto& parameter : layers->parameters()) {
      parameter.mutable_grad() = at::empty_like(parameter);
    }
    const argument input{"x", shape, dtype, true};
    subject whole(run, {input}, [&](tensor_list& in) { return tensor_list{apply(2, apply(1, apply(0, in[0])))}; }, {}, layers.ptr().get());
    std::vector<std::unique_ptr<subject>> each;
    for (std::size_t i = 0; i < 3; ++i) {
      each.push_back(std::make_unique<subject>(
          run, std::vector{input}, [&, i](tensor_list& in) { return tensor_list{apply(i, in[0])}; }, settings{}, layers->ptr(i).get()));
    }
    torch::optim::SGD optimizer(layers->parameters(), 0.001);
    for (int step = 0; step < 4; ++step) {
      optimizer.zero_grad(/*set_to_none=*/false);
      for (int micro_batch = 0; micro_batch < 2; ++micro_batch) {
        const Tensor x = run.leaf(shape, dtype);
        const Tensor y = graphs == graphs::whole ? whole({x})[0] : (*each[2])((*each[1])((*each[0])({x})))[0];
        y.backward(run.random(shape, dtype));
        run.see("y", y);
        run.see_grad("x.grad", x);
      }
      optimizer.step();
    }
    for (const auto& parameter : layers->parameters()) {
      run.see("parameter", parameter);
      run.see("gradient", parameter.grad());
    }
    if (graphs == graphs::whole) {
      whole.expect_replays(6, 6);
    } else {
      each[1]->expect_replays(6, 6);
    }
  });
}

template <class Layer>
void expect_trained_as_eager(c10::Device device) {
  for (const auto dtype : {at::kFloat, at::kHalf, at::kBFloat16}) {
    SCOPED_TRACE(c10::toString(dtype));
    expect_trained_as_eager<Layer>(device, graphs::whole, dtype);
    expect_trained_as_eager<Layer>(device, graphs::by_layer, dtype);
  }
}

// module="linear".
TEST_P(Training, Linear) { expect_trained_as_eager<linear_layer>(device()); }

// module="layernorm_linear".
TEST_P(Training, NormalisedLinear) { expect_trained_as_eager<norm_linear_layer>(device()); }

// module="layernorm_mlp_nocheckpoint".
TEST_P(Training, NormalisedPerceptron) { expect_trained_as_eager<perceptron_layer>(device()); }

// module="layernorm_mlp_checkpoint".
TEST_P(Training, NormalisedPerceptronRecomputedInTheBackward) { expect_trained_as_eager<checkpointed_layer>(device()); }

// module="mha".
TEST_P(Training, Attention) { expect_trained_as_eager<attention_layer>(device()); }

// module="transformer".
TEST_P(Training, Transformer) { expect_trained_as_eager<transformer_layer>(device()); }

// test_make_graphed_callables_with_dot_product_attention.
TEST_P(Training, DotProductAttention) {
  for (const auto dtype : {at::kFloat, at::kHalf, at::kBFloat16}) {
    expect_same([dtype](scenario& run) {
      const std::vector<int64_t> qkv{batch, heads, sequence, 8};
      subject f(run, {{"q", qkv, dtype, true}, {"k", qkv, dtype, true}, {"v", qkv, dtype, true}},
                [](tensor_list& in) { return tensor_list{at::scaled_dot_product_attention(in[0], in[1], in[2])}; });
      for (int step = 0; step < 5; ++step) {
        const tensor_list given{run.leaf(qkv, dtype), run.leaf(qkv, dtype), run.leaf(qkv, dtype)};
        const Tensor y = f(given)[0];
        run.see("y", y);
        y.backward(run.random(qkv, dtype));
        for (const auto& tensor : given) {
          run.see_grad("gradient", tensor);
        }
      }
      f.expect_replays(3, 3);
    });
  }
}

// test_make_graphed_callables_with_kwargs: a mask of booleans, new in each call.
TEST_P(Training, AttentionWithAMaskOfBooleans) {
  expect_same([](scenario& run) {
    const std::vector<int64_t> qkv{batch, heads, sequence, 8}, square{batch, 1, sequence, sequence};
    subject f(run, {{"q", qkv, at::kFloat, true}, {"kv", qkv, at::kFloat, true}, {"mask", square, at::kBool}},
              [](tensor_list& in) { return tensor_list{at::scaled_dot_product_attention(in[0], in[1], in[1], in[2])}; });
    const Tensor kv = run.leaf(qkv);
    for (int step = 0; step < 6; ++step) {
      const Tensor q = run.leaf(qkv), mask = at::rand(square, run.options()) > 0.3;
      const Tensor y = f({q, kv, mask})[0];
      run.see("y", y);
      y.pow(2).sum().backward();
      run.see_grad("q.grad", q);
      run.see_grad("kv.grad", kv);
    }
    f.expect_replays(4, 4);
  });
}

// test_make_graphed_callables_with_fp8_weight_caching: the first micro-batch casts the weight, the others use what it cast.
TEST_P(Training, WeightCastByTheFirstMicroBatchOnly) {
  expect_same([](scenario& run) {
    const Tensor weight = run.random({width, width}), cast = at::zeros({width, width}, run.options(at::kBFloat16));
    bool first = false;
    subject f(run, {{"x", shape, at::kBFloat16}}, [&](tensor_list& in) {
      if (first) {
        cast.copy_(weight);
      }
      return tensor_list{in[0].matmul(cast)};
    });
    for (int step = 0; step < 5; ++step) {
      for (int micro_batch = 0; micro_batch < 3; ++micro_batch) {
        first = micro_batch == 0;
        run.see("y", f({run.random(shape, at::kBFloat16)}, Scalars().key("first", first)));
        run.see("cast", cast);
      }
      weight.mul_(0.9);
    }
    f.expect_captures(2);
    f.expect_replays(11);
  });
}

// test_make_graphed_callables_grouped_linear_with_fp8_weight_caching, but for FP8: rows split evenly over several weights.
TEST_P(Training, GroupedLinear) {
  expect_same([](scenario& run) {
    const Tensor weights = run.leaf({2, width, width});
    subject f(run, {{"x", shape, at::kFloat, true}, {"w", {2, width, width}, at::kFloat, true}}, [](tensor_list& in) {
      const Tensor rows = in[0].reshape({2, sequence * batch / 2, width});
      return tensor_list{at::bmm(rows, in[1]).reshape(shape)};
    });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf(shape);
      f({x, weights})[0].pow(2).sum().backward();
      run.see_grad("x.grad", x);
      run.see_grad("weights.grad", weights);
    }
    f.expect_replays(4, 4);
  });
}

}  // namespace training_test
