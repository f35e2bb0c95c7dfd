// SPDX-License-Identifier: Apache-2.0
//
// Modes that select their own captures: gradients, inference, autocast, the context's flags.
#include "support/autocast.h"
#include "support/device_test.h"

#include <c10/core/InferenceMode.h>

namespace mode_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Mode);

const std::vector<argument> arguments{{"x", {16, 8}}, {"w", {8, 8}, at::kFloat, true}};

tensor_list weight_used_twice(tensor_list& in) { return {in[0].matmul(in[1]).tanh().matmul(in[1])}; }

TEST_P(Mode, InferenceModeReturnsInferenceTensors) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
    const c10::InferenceMode inference;
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({16, 8})})[0];
      EXPECT_TRUE(y.is_inference());
      run.see("y", y);
    }
    f.expect_replays(4);
  });
}

TEST_P(Mode, InferenceModeWithAParameterThatRequiresGrad) {
  expect_same([](scenario& run) {
    subject f(run, arguments, weight_used_twice);
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 12; ++step) {
      const c10::InferenceMode inference(step % 2 == 0);
      const Tensor y = f({run.random({16, 8}), w})[0];
      run.see("y", y);
      if (step % 2 == 1) {
        y.sum().backward();
      }
      run.see_grad("w.grad", w);
    }
    f.expect_replays(8, 4);
    f.expect_captures(2);
  });
}

/// What a caller may do with a result, and what of it throws.
void see_use(scenario& run, const Tensor& y, const Tensor& w) {
  run.see("y", y);
  run.see_error("saved", [&] { (y * w).sum().backward(); });
  run.see_grad("w.grad", w);
  run.see_error("written", [&] { y.mul_(2); });
}

TEST_P(Mode, ACallableThatEntersInferenceModeItself) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) {
      const c10::InferenceMode inference;
      const Tensor y = in[0].tanh();
      return tensor_list{y, y[0], in[0].exp()};
    });
    const Tensor w = run.leaf({8});
    std::vector<tensor_list> held;
    for (int step = 0; step < 12; ++step) {
      const c10::AutoGradMode grad(step % 2 == 0);
      held.push_back(f({run.random({16, 8})}));
      const c10::AutoGradMode used_with_grad(true);
      for (const Tensor& y : held.back()) {
        EXPECT_TRUE(y.is_inference());
        see_use(run, y, w);
      }
      f({run.random({16, 8})});  // which lets go of its results
    }
    for (const auto& results : held) {
      run.see("held", results);
    }
    f.expect_captures(2);
    f.expect_replays(20);
  });
}

TEST_P(Mode, ACallableThatLeavesInferenceModeItself) {
  expect_same([](scenario& run) {
    const Tensor v = run.leaf({8});
    subject f(run, {{"x", {16, 8}}}, [&v](tensor_list& in) {
      const c10::InferenceMode normal(false);
      const Tensor y = in[0].clone().tanh();
      return tensor_list{y, y[0], in[0] * v};
    });
    const Tensor w = run.leaf({8});
    for (int step = 0; step < 8; ++step) {
      const Tensor x = run.random({16, 8});
      tensor_list results;
      {
        const c10::InferenceMode inference;
        results = f({x});
      }
      for (const Tensor& y : results) {
        EXPECT_FALSE(y.is_inference());
        see_use(run, y, w);
      }
      run.see_grad("v.grad", v);
    }
    f.expect_replays(6, 6);
  });
}

TEST_P(Mode, InferenceTensorOutsideInferenceMode) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
    for (int step = 0; step < 5; ++step) {
      Tensor x;
      {
        const c10::InferenceMode inference(step == 4);
        x = run.random({16, 8});
      }
      run.see("y", f({x}));
    }
    f.expect_replays(2);
    f.expect_misses(Miss::InferenceTensor, 1);
  });
}

TEST_P(Mode, WithoutGradients) {
  expect_same([](scenario& run) {
    subject f(run, arguments, weight_used_twice);
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 12; ++step) {
      const c10::AutoGradMode gradients(step % 2 == 0);
      const Tensor y = f({run.random({16, 8}), w})[0];
      EXPECT_EQ(y.requires_grad(), step % 2 == 0);
      run.see("y", y);
      if (step % 2 == 0) {
        y.sum().backward();
      }
      run.see_grad("w.grad", w);
    }
    f.expect_replays(8, 4);
    f.expect_captures(2);
  });
}

TEST_P(Mode, WithoutGradientsAnyArgumentFits) {
  expect_same([](scenario& run) {
    subject f(run, arguments, weight_used_twice);
    const c10::AutoGradMode gradients(false);
    const Tensor w = run.random({8, 8});
    for (int step = 0; step < 5; ++step) {
      run.see("y", f({run.random({16, 8}), w}));
    }
    f.expect_replays(3);
  });
}

TEST_P(Mode, AutocastWithAWeightUsedTwice) {
  const std::vector<c10::ScalarType> dtypes = device().is_cpu() ? std::vector{at::kBFloat16} : std::vector{at::kHalf, at::kBFloat16};
  for (const auto dtype : dtypes) {
    expect_same([dtype](scenario& run) {
      subject f(run, arguments, weight_used_twice);
      const Tensor w = run.leaf({8, 8});
      for (int step = 0; step < 6; ++step) {
        Tensor y;
        {
          const autocast cast(run.device().type(), dtype);
          y = f({run.random({16, 8}), w})[0];
        }
        EXPECT_EQ(y.scalar_type(), dtype);
        run.see("y", y);
        y.sum().backward();
        run.see_grad("w.grad", w);
      }
      f.expect_replays(4, 4);
    });
  }
}

TEST_P(Mode, AutocastFlips) {
  expect_same([](scenario& run) {
    subject f(run, arguments, weight_used_twice);
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 12; ++step) {
      std::optional<autocast> cast;
      if (step % 2 == 0) {
        cast.emplace(run.device().type(), at::kBFloat16);
      }
      const Tensor y = f({run.random({16, 8}), w})[0];
      cast.reset();
      run.see("y", y);
      y.sum().backward();
      run.see_grad("w.grad", w);
      const c10::AutoGradMode no_grad(false);
      w.mul_(0.95);
    }
    f.expect_replays(8, 8);
    f.expect_captures(2);
  });
}

// Eager's microbatches share one cast, whose gradients are summed in bfloat16 and then converted. Each replay has a cast of its own.
TEST_P(Mode, AutocastSumsGradientsOfReplaysInTheTypeOfTheWeight) {
  const Tensor w = at::randn({8, 8}, at::TensorOptions(device())).requires_grad_();
  const auto product = [&w](tensor_list& in) { return tensor_list{in[0].matmul(w)}; };
  test_callable f({{"x", {16, 8}}}, product);
  Tensor x = at::randn({16, 8}, at::TensorOptions(device())), y = at::randn({16, 8}, at::TensorOptions(device()));
  const auto gradient_of = [&](const auto& callable, const tensor_list& batches) {
    w.mutable_grad() = Tensor();
    Tensor loss;
    {
      const autocast cast(device().type(), at::kBFloat16);
      for (const Tensor& batch : batches) {
        const Tensor part = callable({batch})[0].sum();
        loss = loss.defined() ? loss + part : part;
      }
    }
    loss.backward();
    return w.grad();
  };
  for (int step = 0; step < 4; ++step) {
    gradient_of([&](const tensor_list& in) { return f(in); }, {x, y});
  }
  const auto plainly = [&](const tensor_list& in) { return f.plain(in); };
  const Tensor of_x = gradient_of(plainly, {x}), of_y = gradient_of(plainly, {y}), of_both = gradient_of(plainly, {x, y});
  const Tensor graphed = gradient_of([&](const tensor_list& in) { return f(in); }, {x, y});
  EXPECT_TRUE(same_bits(of_both, (of_x.to(at::kBFloat16) + of_y.to(at::kBFloat16)).to(at::kFloat)));
  EXPECT_TRUE(same_bits(graphed, of_x + of_y));
  EXPECT_FALSE(same_bits(graphed, of_both));
  EXPECT_EQ(f.stats().captures, 2U) << f.stats();
}

// Of a leaf it keeps one cast, and sums the gradients of all uses before it casts them back.
TEST_P(Mode, AutocastCastsAnArgumentWithAHistoryAtEachUse) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 8});
    subject f(run, {{"x", {16, 8}, at::kFloat, true}}, [&](tensor_list& in) { return tensor_list{in[0].matmul(w) + in[0].matmul(w.t())}; });
    for (int step = 0; step < 12; ++step) {
      const Tensor x = run.leaf({16, 8});
      Tensor y;
      {
        const autocast cast(run.device().type(), at::kBFloat16);
        y = f({step % 2 == 0 ? x : x * 1.5})[0];
      }
      run.see("y", y);
      y.sum().backward();
      run.see_grad("x.grad", x);
      run.see_grad("w.grad", w);
    }
    f.expect_replays(8, 8);
    f.expect_captures(2);
  });
}

TEST_P(Mode, AutocastCastsAnArgumentThatChangesBetweenTwoUses) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 8});
    subject f(run, {{"x", {16, 8}, at::kFloat, true, true}}, [&](tensor_list& in) {
      const Tensor before = in[0].matmul(w);
      return tensor_list{before + in[0].mul_(0.5).matmul(w)};
    });
    const autocast cast(run.device().type(), at::kBFloat16);
    for (int step = 0; step < 12; ++step) {
      const Tensor x = run.leaf({16, 8}), with_history = x * 1.5;
      const c10::AutoGradMode no_grad(false);
      run.see("y", f({step % 2 == 0 ? x : with_history}));
    }
    f.expect_replays(8);
    f.expect_captures(2);
  });
}

TEST_P(Mode, AutocastOfAModuleParameter) {
  expect_same([](scenario& run) {
    torch::nn::Linear layer(8, 8);
    layer->to(run.device());
    subject f(run, {{"x", {16, 8}}}, [&](tensor_list& in) { return tensor_list{layer(layer(in[0]).tanh())}; }, {}, layer.get());
    for (int step = 0; step < 6; ++step) {
      Tensor y;
      {
        const autocast cast(run.device().type(), at::kBFloat16);
        y = f({run.random({16, 8})})[0];
      }
      run.see("y", y);
      y.sum().backward();
      run.see_grad("weight.grad", layer->weight);
      run.see_grad("bias.grad", layer->bias);
      const c10::AutoGradMode no_grad(false);
      layer->weight.mul_(0.95);
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(Mode, DeterministicAlgorithmsSelectTheirOwnCapture) {
  expect_same([](scenario& run) {
    subject f(run, arguments, weight_used_twice);
    const Tensor w = run.leaf({8, 8});
    at::Context& context = at::globalContext();
    for (int step = 0; step < 8; ++step) {
      context.setDeterministicAlgorithms(step % 2 == 1, /*warn_only=*/true);
      run.see("y", f({run.random({16, 8}), w}));
    }
    context.setDeterministicAlgorithms(false, false);
    f.expect_captures(2);
  });
}

TEST_P(Mode, DefaultTypeSelectsItsOwnCapture) {
  expect_same([](scenario& run) {
    subject f(run, {{"n", {4}, at::kLong}}, [](tensor_list& in) { return tensor_list{in[0] / 3, at::ones({2}, in[0].device())}; });
    for (int step = 0; step < 8; ++step) {
      const c10::AutoGradMode no_grad(false);
      at::set_default_dtype(c10::scalarTypeToTypeMeta(step % 2 == 1 ? at::kDouble : at::kFloat));
      const tensor_list y = f({at::arange(4, run.options(at::kLong))});
      at::set_default_dtype(c10::scalarTypeToTypeMeta(at::kFloat));
      run.see("y", y);
    }
    f.expect_captures(2);
  });
}

}  // namespace mode_test
