// SPDX-License-Identifier: Apache-2.0
//
// Autocast around graphed callables: casts, their cache, functions of the user's own, recurrent networks, checkpoints.
#include "support/autocast.h"
#include "support/device_test.h"

#include <torch/autograd.h>
#include <torch/nn.h>

namespace autocasting_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Autocasting);

// test_cudagraph_trees.py, test_amp_cache_disabled: a graph's result is cast again after it was written.
TEST_P(Autocasting, ResultThatIsWrittenIsCastAnew) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {4, 4}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0] + in[0]}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.leaf({4, 4})})[0], other = run.random({4, 4});
      const autocast cast(run.device().type(), at::kBFloat16);
      const Tensor before = y.matmul(other);
      y.detach().zero_();
      const Tensor after = y.matmul(other);
      EXPECT_FALSE(same_bits(before, after));
      run.see("before", before);
      run.see("after", after);
    }
  });
}

// test_cuda.py, test_autocast_cache_leak: the same linear layer several times without gradients, and its weight stepped between.
TEST_P(Autocasting, WeightSteppedBetweenCallsUnderOneAutocast) {
  expect_same([](scenario& run) {
    torch::nn::Linear linear(10, 10);
    linear->to(run.device());
    subject f(run, {{"x", {1, 10}}}, [&](tensor_list& in) { return tensor_list{linear(in[0])}; }, {}, linear.ptr().get());
    for (int step = 0; step < 8; ++step) {
      const c10::AutoGradMode no_grad(false);
      const autocast cast(run.device().type(), at::kBFloat16);
      run.see("first", f({run.random({1, 10})}));
      run.see("second", f({run.random({1, 10})}));
      linear->weight.mul_(0.9);
    }
    f.expect_captures(1);
  });
}

// A weight's cast is in the cache when the graphed callable is called, and the callable's own cast must not stay there.
TEST_P(Autocasting, EagerCastsBeforeAndAfterUnderOneAutocast) {
  expect_same([](scenario& run) {
    torch::nn::Linear linear(8, 8);
    linear->to(run.device());
    subject f(run, {{"x", {4, 8}}}, [&](tensor_list& in) { return tensor_list{linear(in[0]).tanh()}; }, {}, linear.ptr().get());
    for (int step = 0; step < 6; ++step) {
      Tensor loss;
      {
        const autocast cast(run.device().type(), at::kBFloat16);
        const Tensor before = linear(run.random({4, 8})), y = f({run.random({4, 8})})[0], after = linear(y);
        run.see("all", {before, y, after});
        loss = y.sum();  // of all three, eager would round the sum of the weight's gradients to the cast's type
      }
      loss.backward();
      run.see_grad("weight.grad", linear->weight);
      run.see_grad("bias.grad", linear->bias);
      const c10::AutoGradMode no_grad(false);
      linear->weight.mul_(0.9);
    }
    f.expect_replays(4, 4);
  });
}

/// As custom_fwd and custom_bwd do: autocast is on in the forward, and in the backward, through the saved tensors.
struct Multiply : torch::autograd::Function<Multiply> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& a, const Tensor& b) {
    context->save_for_backward({a, b});
    return a.mm(b);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const autocast cast(saved[0].device().type(), at::kBFloat16);
    return {gradients[0].mm(saved[1].t()).to(at::kFloat), saved[0].t().mm(gradients[0]).to(at::kFloat)};
  }
};

// test_cuda.py, test_autocast_custom_enabled.
TEST_P(Autocasting, FunctionOfTheUsersOwn) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {8, 8}, at::kFloat, true}, {"y", {8, 8}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{Multiply::apply(in[0], in[1])}; });
    const Tensor x = run.leaf({8, 8}), y = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      Tensor loss;
      {
        const autocast cast(run.device().type(), at::kBFloat16);
        const Tensor product = f({x, y})[0];
        run.see("product", product);
        loss = product.sum();
      }
      loss.backward();
      run.see_grad("x.grad", x);
      run.see_grad("y.grad", y);
    }
    f.expect_replays(4, 4);
  });
}

/// Autocast is off inside: test_autocast_custom_cast_inputs.
struct InFullPrecision : torch::autograd::Function<InFullPrecision> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& a, const Tensor& b) {
    const c10::DispatchKeySet keys = c10::autocast_dispatch_keyset;
    const c10::impl::ExcludeDispatchKeyGuard off(keys);
    context->save_for_backward({b});
    return a.to(at::kFloat).mm(b.to(at::kFloat));
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, torch::autograd::variable_list gradients) {
    const Tensor b = context->get_saved_variables()[0];
    return {gradients[0].mm(b.to(at::kFloat).t()).to(b.scalar_type()), Tensor()};
  }
};

// test_cuda.py, test_autocast_custom_cast_inputs: full precision inside, and none of it without autocast.
TEST_P(Autocasting, FunctionThatCastsItsInputsUp) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {8, 8}, at::kBFloat16, true}, {"y", {8, 8}, at::kBFloat16}},
              [](tensor_list& in) { return tensor_list{InFullPrecision::apply(in[0], in[1]), in[0].mm(in[1])}; });
    for (int step = 0; step < 8; ++step) {
      const Tensor x = run.leaf({8, 8}, at::kBFloat16);
      tensor_list y;
      {
        std::optional<autocast> cast;
        if (step % 2 == 0) {
          cast.emplace(run.device().type(), at::kBFloat16);
        }
        y = f({x, run.random({8, 8}, at::kBFloat16)});
      }
      run.see("y", y);
      (y[0].sum() + y[1].sum()).backward();
      run.see_grad("x.grad", x);
    }
    f.expect_captures(2);
  });
}

template <class Network>
void expect_recurrent_as_eager(c10::Device device, const std::function<std::vector<Tensor>(Network&, const Tensor&)>& forward) {
  expect_same(device, [&](scenario& run) {
    Network network(5, 6);
    network->to(run.device());
    subject f(run, {{"x", {3, 4, 5}}}, [&](tensor_list& in) { return forward(network, in[0]); }, {}, network.ptr().get());
    for (int step = 0; step < 6; ++step) {
      tensor_list y;
      {
        const autocast cast(run.device().type(), at::kBFloat16);
        y = f({run.random({3, 4, 5})});
      }
      run.see("y", y);
      y[0].sum().backward();
      for (const auto& parameter : network->named_parameters()) {
        run.see_grad(parameter.key(), parameter.value());
      }
    }
  });
}

// test_cuda.py, test_autocast_rnn.
TEST_P(Autocasting, RecurrentNetwork) {
  expect_recurrent_as_eager<torch::nn::RNN>(device(), [](torch::nn::RNN& network, const Tensor& x) {
    const auto [y, h] = network(x);
    return tensor_list{y, h};
  });
}
TEST_P(Autocasting, GatedRecurrentNetwork) {
  expect_recurrent_as_eager<torch::nn::GRU>(device(), [](torch::nn::GRU& network, const Tensor& x) {
    const auto [y, h] = network(x);
    return tensor_list{y, h};
  });
}

// On a CPU it is oneDNN's, which has it in bfloat16 on some processors only.
bool computes_lstm(c10::Device device) {
  const autocast cast(device.type(), at::kBFloat16);
  torch::nn::LSTM network(8, 8);
  network->to(device);
  try {
    network(at::zeros({2, 4, 8}, at::TensorOptions(device)));
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

TEST_P(Autocasting, LongShortTermMemory) {
  if (!computes_lstm(device())) {
    GTEST_SKIP() << "eager mode throws: LibTorch has no LSTM in bfloat16 for this processor";
  }
  expect_recurrent_as_eager<torch::nn::LSTM>(device(), [](torch::nn::LSTM& network, const Tensor& x) {
    const auto [y, state] = network(x);
    return tensor_list{y, std::get<0>(state), std::get<1>(state)};
  });
}

/// Three layers, of which the first two are computed once more in the backward, under the forward's autocast.
struct TwoLayersRecomputed : torch::autograd::Function<TwoLayersRecomputed> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, const Tensor& a, const Tensor& b) {
    context->save_for_backward({x, a, b});
    return inside(x, a, b);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, torch::autograd::variable_list gradients) {
    auto saved = context->get_saved_variables();
    for (auto& tensor : saved) {
      tensor = tensor.detach().requires_grad_();
    }
    const c10::AutoGradMode gradients_on(true);
    Tensor again;
    {
      const autocast cast(saved[0].device().type(), at::kBFloat16);
      again = inside(saved[0], saved[1], saved[2]);
    }
    return torch::autograd::grad({again}, saved, gradients);
  }
  static Tensor inside(const Tensor& x, const Tensor& a, const Tensor& b) { return x.matmul(a).tanh().matmul(b); }
};

// test_cuda.py, test_autocast_checkpointing.
TEST_P(Autocasting, Checkpoint) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {8, 8}, at::kFloat, true}, {"a", {8, 8}, at::kFloat, true}, {"b", {8, 8}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{TwoLayersRecomputed::apply(in[0], in[1], in[2]).matmul(in[2])}; });
    const Tensor a = run.leaf({8, 8}), b = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({8, 8});
      Tensor y;
      {
        const autocast cast(run.device().type(), at::kBFloat16);
        y = f({x, a, b})[0];
      }
      EXPECT_EQ(y.scalar_type(), at::kBFloat16);
      run.see("y", y);
      y.sum().backward();
      for (const Tensor& leaf : {x, a, b}) {
        run.see_grad("gradient", leaf);
      }
    }
    f.expect_replays(4, 4);
  });
}

}  // namespace autocasting_test
