// SPDX-License-Identifier: Apache-2.0
//
// Gradients of leaves that take autograd's own way, because a user could see the difference.
#include "support/layer.h"

#include <torch/autograd.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>

namespace engine_gradient_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;
using torch::autograd::variable_list;

GRAPHED_DEVICE_TEST_SUITE(EngineGradient);

/// Six calls, each with its backward, two of them warm-ups; after those, `left` gradients must be the engine's.
void expect_same_trainings(c10::Device device, std::size_t left, const std::function<void(scenario&, layer&)>& prepare,
                           const std::function<void(scenario&, layer&, const Tensor&)>& backward) {
  for (const bool accumulates : {false, true}) {
    expect_same(device, [&](scenario& run) {
      layer f(run);
      prepare(run, f);
      for (int step = 0; step < 6; ++step) {
        const Tensor y = f();
        backward(run, f, y);
        f.expect_left(y, left);
        f.see_gradients();
        if (!accumulates) {
          f.drop_gradients();
        }
      }
      f.expect_checked(4);
    });
  }
}

void nothing(scenario& /*run*/, layer& /*f*/) {}
void plainly(scenario& /*run*/, layer& /*f*/, const Tensor& y) { y.sum().backward(); }

TEST_P(EngineGradient, OfALeafWithATensorHook) {
  int calls = 0;
  const auto prepare = [&calls](scenario&, layer& f) {
    f.w.register_hook([&calls](const Tensor& gradient) { return ++calls, gradient * 2; });
  };
  expect_same_trainings(device(), 1, prepare, plainly);
  EXPECT_EQ(calls, 24);
}

TEST_P(EngineGradient, OfALeafWhoseHookWasRemoved) {
  expect_same_trainings(
      device(), 1, [](scenario&, layer& f) { f.w.remove_hook(f.w.register_hook([](const Tensor& gradient) { return gradient * 2; })); },
      plainly);
}

struct doubling_after : torch::autograd::PostAccumulateGradHook {
  explicit doubling_after(int& calls) : calls_(calls) {}
  void operator()(const Tensor& leaf) override {
    ++calls_;
    const c10::AutoGradMode no_grad(false);
    leaf.mutable_grad() = leaf.grad() * 2;
  }
  int& calls_;
};

TEST_P(EngineGradient, OfALeafWithAHookAfterAccumulation) {
  int calls = 0;
  const auto prepare = [&calls](scenario&, layer& f) {
    torch::autograd::impl::set_post_acc_grad_hooks(f.w, std::make_unique<doubling_after>(calls));
  };
  expect_same_trainings(device(), 1, prepare, plainly);
  EXPECT_EQ(calls, 24);
}

struct tripling_before : torch::autograd::FunctionPreHook {
  explicit tripling_before(int& calls) : calls_(calls) {}
  variable_list operator()(const variable_list& gradients) override { return ++calls_, variable_list{gradients[0] * 3}; }
  int& calls_;
};

struct counting_after : torch::autograd::FunctionPostHook {
  explicit counting_after(int& calls) : calls_(calls) {}
  variable_list operator()(const variable_list& outputs, const variable_list& inputs) override {
    EXPECT_EQ(inputs.size(), 1U);
    return ++calls_, outputs;
  }
  int& calls_;
};

TEST_P(EngineGradient, OfALeafWithHooksOnItsAccumulator) {
  int before = 0, after = 0;
  std::vector<decltype(torch::autograd::Edge::function)> held;
  const auto prepare = [&](scenario&, layer& f) {
    held.push_back(torch::autograd::impl::grad_accumulator(f.w));
    held.back()->add_pre_hook(std::make_unique<tripling_before>(before));
    held.push_back(torch::autograd::impl::grad_accumulator(f.b));
    held.back()->add_post_hook(std::make_unique<counting_after>(after));
  };
  expect_same_trainings(device(), 2, prepare, plainly);
  EXPECT_EQ(before, 24);
  EXPECT_EQ(after, 24);
}

TEST_P(EngineGradient, OfALeafWhoseAccumulatorHasHooksAndNoOtherOwner) {
  int before = 0;
  const auto backward = [&before](scenario&, layer& f, const Tensor& y) {
    torch::autograd::impl::grad_accumulator(f.w)->add_pre_hook(std::make_unique<tripling_before>(before));
    y.sum().backward();
  };
  expect_same_trainings(device(), 1, nothing, backward);
  EXPECT_EQ(before, 24);
}

TEST_P(EngineGradient, OfALeafWhoseAccumulatorIsHeld) {
  std::vector<decltype(torch::autograd::Edge::function)> held;
  expect_same_trainings(device(), 1, [&](scenario&, layer& f) { held.push_back(torch::autograd::impl::grad_accumulator(f.w)); }, plainly);
}

struct seen_outputs : torch::autograd::FunctionPostHook {
  variable_list operator()(const variable_list& outputs, const variable_list& /*inputs*/) override {
    for (const Tensor& output : outputs) {
      EXPECT_TRUE(output.defined());
    }
    return outputs;
  }
};

TEST_P(EngineGradient, OfANodeWithAHook) {
  const auto backward = [](scenario& run, layer&, const Tensor& y) {
    if (run.graphed()) {
      y.grad_fn()->add_post_hook(std::make_unique<seen_outputs>());
    }
    y.sum().backward();
  };
  expect_same_trainings(device(), 2, nothing, backward);
}

TEST_P(EngineGradient, OfALeafThatTheLossUsesToo) {
  const auto before = [](scenario&, layer& f, const Tensor& y) { ((f.w * 3).sum() + y.sum()).backward(); };
  const auto after = [](scenario&, layer& f, const Tensor& y) { (y.sum() + (f.w * 3).sum()).backward(); };
  expect_same_trainings(device(), 1, nothing, before);
  expect_same_trainings(device(), 1, nothing, after);
}

TEST_P(EngineGradient, OfALeafThatABackwardBeginsAt) {
  const auto backward = [](scenario& run, layer& f, const Tensor& y) {
    torch::autograd::backward({y, f.w}, {at::ones({16, 4}, run.options()), at::ones({8, 4}, run.options())});
  };
  expect_same_trainings(device(), 1, nothing, backward);
}

TEST_P(EngineGradient, OfTwoCallsInOneBackward) {
  expect_same([](scenario& run) {
    layer f(run);
    for (int step = 0; step < 8; ++step) {
      const Tensor y = f(), z = f();
      if (step % 2 == 0) {
        (y.sum() + z.sum()).backward();
        f.expect_left(y, 2);
        f.expect_left(z, 2);
      } else {
        y.sum().backward();
        f.expect_left(y, 2);  // the other call leads there as well
        z.sum().backward();
      }
      f.see_gradients();
      f.drop_gradients();
    }
    f.expect_checked(6);
  });
}

TEST_P(EngineGradient, OfAChosenLeaf) {
  const auto backward = [](scenario& run, layer& f, const Tensor& y) {
    y.backward(at::ones({16, 4}, run.options()), std::nullopt, /*create_graph=*/false, std::vector<Tensor>{f.w});
    EXPECT_FALSE(f.b.grad().defined());
  };
  expect_same_trainings(device(), 2, nothing, backward);
}

TEST_P(EngineGradient, ThatIsReturned) {
  const auto backward = [](scenario& run, layer& f, const Tensor& y) {
    run.see("returned", torch::autograd::grad({y.sum()}, {f.w, f.b}));
    EXPECT_FALSE(f.w.grad().defined() || f.b.grad().defined());
  };
  expect_same_trainings(device(), 2, nothing, backward);
}

TEST_P(EngineGradient, WithAGraphThatIsKept) {
  expect_same([](scenario& run) {
    layer f(run);
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f(), loss = y.sum();
      loss.backward({}, /*retain_graph=*/true);
      f.expect_left(y, 2);
      f.see_gradients();
      loss.backward();
      f.expect_left(y, 0);
      f.see_gradients();
    }
    f.expect_checked(8);
  });
}

TEST_P(EngineGradient, ForSecondDerivatives) {
  const auto backward = [](scenario& run, layer& f, const Tensor& y) {
    y.backward(at::ones({16, 4}, run.options()), std::nullopt, /*create_graph=*/true);
    for (const Tensor& leaf : {f.w, f.b}) {
      EXPECT_TRUE(leaf.grad().requires_grad());
      leaf.mutable_grad() = leaf.grad().detach();
    }
  };
  expect_same_trainings(device(), 2, nothing, backward);
}

TEST_P(EngineGradient, WhereAnomaliesAreSearched) {
  expect_same([](scenario& run) {
    layer f(run);
    for (int step = 0; step < 8; ++step) {
      const Tensor y = f();
      const bool is_searched = step % 2 == 1;
      {
        const auto searching = is_searched ? std::make_unique<torch::autograd::DetectAnomalyGuard>() : nullptr;
        y.sum().backward();
      }
      f.expect_left(y, is_searched ? 2 : 0);
      f.see_gradients();
    }
    f.expect_checked(6);
  });
}

TEST_P(EngineGradient, OfALeafThatWasFrozenSinceTheForward) {
  const auto backward = [](scenario&, layer& f, const Tensor& y) {
    f.w.requires_grad_(false);
    y.sum().backward();
    EXPECT_FALSE(f.w.grad().defined());
    f.w.requires_grad_(true);
  };
  expect_same_trainings(device(), 1, nothing, backward);
}

TEST_P(EngineGradient, OfAnArgumentThatHasAHistory) {
  expect_same([](scenario& run) {
    const Tensor before = run.leaf({8, 4}), a = run.leaf({4}), b = run.leaf({4});
    subject f(run, {{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}},
              [&](tensor_list& in) { return tensor_list{in[0].matmul(in[1]) * a + b}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({16, 8}), before * 2})[0];
      y.sum().backward();
      run.see_grad("before", before);
      run.see_grad("a", a);
      run.see_grad("b", b);
      if (run.graphed() && step >= 2) {
        EXPECT_EQ(y.grad_fn()->num_outputs(), run.device().is_cpu() ? 1U : 2U);  // one for the caller's stream to wait for
      }
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(EngineGradient, OfTheSameLeafAsTwoArguments) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 8});
    subject f(run, {{"a", {8, 8}, at::kFloat, true}, {"b", {8, 8}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]).tanh()}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({w, w})[0];
      y.sum().backward();
      run.see_grad("w.grad", w);
      if (run.graphed() && step >= 2) {
        EXPECT_EQ(y.grad_fn()->num_outputs(), 0U);  // it was one edge, which the node has used
      }
    }
    f.expect_replays(4, 4);
  });
}

}  // namespace engine_gradient_test
