// SPDX-License-Identifier: Apache-2.0
//
// Autograd around and inside graphed callables where upstream has no test, or only one under torch.compile: forces, sparse gradients,
// gradients of views, calls out of backwards, parameters of other layouts.
#include "support/device_test.h"

#include <c10/core/AutogradState.h>

#include <torch/autograd.h>
#include <torch/nn.h>

namespace autograd_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Autograd);

const std::vector<argument> layer_arguments{{"x", {16, 8}}, {"w", {8, 8}, at::kFloat, true}};

tensor_list layer(tensor_list& in) { return {in[0].matmul(in[1]).tanh()}; }

// Forces are the energy's negative gradient, computed inside: an interatomic potential in evaluation.
TEST_P(Autograd, ForcesInside) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({3, 8});
    subject f(run, {{"positions", {6, 3}}}, [&](tensor_list& in) {
      const Tensor positions = in[0].detach().requires_grad_();
      const Tensor energy = positions.matmul(w).tanh().pow(2).sum();
      return tensor_list{energy.detach(), -torch::autograd::grad({energy}, {positions})[0]};
    });
    for (int step = 0; step < 6; ++step) {
      run.see("energy and forces", f({run.random({6, 3})}));
      EXPECT_FALSE(w.grad().defined());
    }
  });
}

struct one_autograd_thread {
  one_autograd_thread() { c10::AutogradState::get_tls_state().set_multithreading_enabled(false); }
  ~one_autograd_thread() { c10::AutogradState::get_tls_state().set_multithreading_enabled(true); }
};

// The same in training: the loss is of the forces, and the weights' gradients go through the gradient. Autograd uses one thread in both
// runs. On a GPU, nodes that eager makes on the device's thread have numbers of their own. The gradients' terms would then be summed in
// another order than in the capture, which has one thread.
TEST_P(Autograd, LossOfForcesInside) {
  expect_same([](scenario& run) {
    const one_autograd_thread same_order;
    subject f(run, {{"positions", {6, 3}}, {"w", {3, 8}, at::kFloat, true}}, [](tensor_list& in) {
      const Tensor positions = in[0].detach().requires_grad_();
      const Tensor energy = positions.matmul(in[1]).tanh().pow(2).sum();
      return tensor_list{energy, torch::autograd::grad({energy}, {positions}, {}, std::nullopt, /*create_graph=*/true)[0]};
    });
    const Tensor w = run.leaf({3, 8});
    for (int step = 0; step < 6; ++step) {
      const tensor_list y = f({run.random({6, 3}), w});
      run.see("y", y);
      (y[0] + y[1].pow(2).sum()).backward();
      run.see_grad("w.grad", w);
    }
  });
}

// An embedding's gradient is sparse, and has as many rows as the call had indices.
TEST_P(Autograd, SparseGradientOfAnArgument) {
  expect_same([](scenario& run) {
    subject f(run, {{"w", {10, 4}, at::kFloat, true}, {"index", {5}, at::kLong}},
              [](tensor_list& in) { return tensor_list{at::embedding(in[0], in[1], -1, false, /*sparse=*/true)}; });
    const Tensor w = run.leaf({10, 4});
    for (int step = 0; step < 6; ++step) {
      f({w, at::randint(10, {5}, run.options(at::kLong))})[0].pow(2).sum().backward();
      EXPECT_TRUE(w.grad().is_sparse());
      run.see("w.grad", w.grad().to_dense());
      w.mutable_grad() = Tensor();
    }
  });
}

/// y = <x, w>: the gradient of w is the saved x itself.
struct Dot : torch::autograd::Function<Dot> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, const Tensor& w) {
    context->save_for_backward({x, w});
    return (x * w).sum();
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, torch::autograd::variable_list) {
    const auto saved = context->get_saved_variables();
    return {Tensor(), saved[0]};
  }
};

// What a backward returns may be what its forward was given: held over later calls, it must not show their arguments.
TEST_P(Autograd, GradientThatIsAnArgument) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {8}}, {"w", {8}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{Dot::apply(in[0], in[1])}; });
    const Tensor w = run.leaf({8});
    tensor_list held, accumulated, hooked;
    w.register_hook([&](const Tensor& gradient) { hooked.push_back(gradient); });
    for (int step = 0; step < 7; ++step) {
      held.push_back(torch::autograd::grad({f({run.random({8}), w})[0]}, {w})[0]);
      f({run.random({8}), w})[0].backward();
      accumulated.push_back(w.grad());
      w.mutable_grad() = Tensor();
    }
    run.see("held", held);
    run.see("accumulated", accumulated);
    run.see("hooked", hooked);
  });
}

// A weight in channels-last: eager gives its gradient the weight's strides.
TEST_P(Autograd, GradientHasTheLayoutOfItsParameter) {
  expect_same([](scenario& run) {
    const Tensor filter = run.random({6, 4, 3, 3}).contiguous(at::MemoryFormat::ChannelsLast).requires_grad_();
    const Tensor transposed = run.random({8, 6}).t().requires_grad_();
    subject f(run, {{"x", {2, 4, 5, 5}}, {"y", {3, 6}}},
              [&](tensor_list& in) { return tensor_list{at::conv2d(in[0], filter), in[1].matmul(transposed)}; });
    for (int step = 0; step < 6; ++step) {
      const tensor_list y = f({run.random({2, 4, 5, 5}), run.random({3, 6})});
      (y[0].pow(2).sum() + y[1].pow(2).sum()).backward();
      run.see_grad("filter.grad", filter);
      run.see_grad("transposed.grad", transposed);
    }
    f.expect_replays(4, 4);
  });
}

// A view of a tensor with a history is written: the history of the whole changes.
TEST_P(Autograd, WrittenViewOfATensorWithAHistory) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {512}, at::kFloat, true, /*inplace=*/true}, {"w", {512}, at::kFloat, true}}, [](tensor_list& in) {
      in[0].mul_(in[1]).tanh_();
      return tensor_list{};
    });
    const Tensor leaf = run.leaf({4, 512}), w = run.leaf({512});
    for (int step = 0; step < 6; ++step) {
      const Tensor whole = leaf * 2, view = whole[1];
      run.see_error("write", [&] { f({view, w}); });
      run.see("whole", whole);
      whole.pow(2).sum().backward();
      run.see_grad("leaf.grad", leaf);
      run.see_grad("w.grad", w);
    }
  });
}

// The same of a view of a tensor without one.
TEST_P(Autograd, WrittenViewOfATensorWithoutAHistory) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {512}, at::kFloat, false, /*inplace=*/true}, {"w", {512}, at::kFloat, true}}, [](tensor_list& in) {
      in[0].mul_(in[1]);
      return tensor_list{in[0].slice(0, 0, 16)};
    });
    const Tensor w = run.leaf({512});
    for (int step = 0; step < 6; ++step) {
      const Tensor whole = run.random({4, 512}), view = whole[1];
      const Tensor part = f({view, w})[0];
      EXPECT_TRUE(part.is_alias_of(whole));
      run.see("whole", whole);
      (whole.pow(2).sum() + part.sum()).backward();
      run.see_grad("w.grad", w);
    }
  });
}

// Several views from one operator: eager forbids to write them, in the same words.
TEST_P(Autograd, SeveralViewsFromOneOperator) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {4, 8}, at::kFloat, true}}, [](tensor_list& in) {
      const auto chunks = (in[0] * 2).chunk(2);
      return tensor_list{chunks[0], chunks[1]};
    });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({4, 8});
      const tensor_list y = f({x});
      run.see("y", y);
      (y[0].sum() + y[1].pow(2).sum()).backward();
      run.see_grad("x.grad", x);
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(Autograd, ExpandedAndOverlappingResults) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {8}, at::kFloat, true}}, [](tensor_list& in) {
      const Tensor y = in[0] * 3;
      return tensor_list{y.expand({4, 8}), y.as_strided({3, 4}, {2, 1}), y.narrow(0, 2, 3)};
    });
    tensor_list held;
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({8});
      const tensor_list y = f({x});
      (y[0].sum() + y[1].pow(2).sum() + y[2].sum()).backward();
      run.see_grad("x.grad", x);
      held.insert(held.end(), y.begin(), y.end());
    }
    run.see("held", held);
  });
}

TEST_P(Autograd, RetainedGradientOfAResult) {
  expect_same([](scenario& run) {
    subject f(run, layer_arguments, layer);
    const Tensor w = run.leaf({8, 8});
    tensor_list held;
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({16, 8}), w})[0];
      y.retain_grad();
      y.pow(2).sum().backward();
      held.push_back(y.grad());
      run.see_grad("w.grad", w);
    }
    run.see("held", held);
  });
}

TEST_P(Autograd, GradientWithRespectToAResult) {
  expect_same([](scenario& run) {
    subject f(run, layer_arguments, layer),
        g(run, {{"y", {16, 8}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].exp()}; });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({16, 8}), w})[0], z = g({y})[0];
      run.see("both", torch::autograd::grad({z.sum()}, {y, w}));
    }
    g.expect_replays(4, 4);
  });
}

TEST_P(Autograd, DetachedInPlaceByItsHolder) {
  expect_same([](scenario& run) {
    subject f(run, layer_arguments, layer);
    const Tensor w = run.leaf({8, 8});
    tensor_list held;
    for (int step = 0; step < 8; ++step) {
      Tensor y = f({run.random({16, 8}), w})[0];
      if (step % 2 == 0) {
        y.detach_();
      } else {
        y.sum().backward();
        run.see_grad("w.grad", w);
      }
      held.push_back(y);
    }
    run.see("held", held);
  });
}

TEST_P(Autograd, ResultGivenOtherMemoryByItsHolder) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
    tensor_list held;
    for (int step = 0; step < 9; ++step) {
      Tensor y = f({run.random({16, 8})})[0];
      if (step % 3 == 0) {
        y.set_data(run.random({3}));
      }
      if (step % 3 == 1) {
        y.resize_({4, 4});
      }
      held.push_back(y);
    }
    run.see("held", held);
  });
}

/// Calls a graphed callable in its backward.
struct CallsInItsBackward : torch::autograd::Function<CallsInItsBackward> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, int64_t callable) {
    context->saved_data["callable"] = callable;
    return x * 2;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, torch::autograd::variable_list gradients) {
    auto& callable = *reinterpret_cast<subject*>(context->saved_data["callable"].toInt());
    return {callable({gradients[0].contiguous()})[0], Tensor()};
  }
};

TEST_P(Autograd, CalledInABackward) {
  expect_same([](scenario& run) {
    subject f(run, {{"gradient", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].clamp(-1, 1) * 2}; });
    const Tensor w = run.leaf({16, 8});
    for (int step = 0; step < 6; ++step) {
      CallsInItsBackward::apply(w, reinterpret_cast<int64_t>(&f)).pow(2).sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(4);
  });
}

// The hook of one graphed callable's argument calls another one.
TEST_P(Autograd, CalledInAHook) {
  expect_same([](scenario& run) {
    subject clip(run, {{"gradient", {8, 8}}}, [](tensor_list& in) { return tensor_list{in[0] / (in[0].norm() + 1)}; });
    subject f(run, layer_arguments, layer);
    const Tensor w = run.leaf({8, 8});
    w.register_hook([&](const Tensor& gradient) { return clip({gradient})[0]; });
    for (int step = 0; step < 8; ++step) {
      f({run.random({16, 8}), w})[0].sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(6, 6);
  });
}

TEST_P(Autograd, ComplexResultsAndTheirGradients) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {8, 8}, at::kComplexFloat, true}}, [](tensor_list& in) {
      const Tensor y = in[0].matmul(in[0].conj());
      return tensor_list{y, at::real(y), at::imag(y), y.conj()};
    });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({8, 8}, at::kComplexFloat);
      const tensor_list y = f({x});
      run.see("y", y);
      (y[0].abs().sum() + y[1].sum() + y[2].pow(2).sum() + y[3].abs().pow(2).sum()).backward();
      run.see_grad("x.grad", x);
    }
  });
}

TEST_P(Autograd, LeafMadeInside) {
  expect_same([](scenario& run) {
    subject f(run, layer_arguments, [](tensor_list& in) {
      const Tensor gate = at::zeros({8}, in[0].options()).requires_grad_();
      return tensor_list{in[0].matmul(in[1]) * (gate + 1)};
    });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({16, 8}), w})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("w.grad", w);
    }
  });
}

TEST_P(Autograd, GradModeSwitchedInside) {
  expect_same([](scenario& run) {
    subject f(run, layer_arguments, [](tensor_list& in) {
      Tensor scale;
      {
        const c10::AutoGradMode no_grad(false);
        scale = in[0].matmul(in[1]).abs().max();
      }
      return tensor_list{in[0].matmul(in[1]) / scale, scale};
    });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      const tensor_list y = f({run.random({16, 8}), w});
      run.see("y", y);
      y[0].pow(2).sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(Autograd, UnderAnomalyDetection) {
  expect_same([](scenario& run) {
    subject f(run, layer_arguments, layer);
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 8; ++step) {
      std::optional<torch::autograd::DetectAnomalyGuard> anomalies;
      if (step % 2 == 1) {
        anomalies.emplace();
      }
      f({run.random({16, 8}), w})[0].sum().backward();
      run.see_grad("w.grad", w);
    }
  });
}

TEST_P(Autograd, RetainedGraphWhoseBackwardIsEagers) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}, {"w", {8, 8}, at::kFloat, true}}, [](tensor_list& in) {
      const Tensor y = in[0].matmul(in[1]);
      y.register_hook([](const Tensor& gradient) { return gradient * gradient.sum().item<float>(); });
      return tensor_list{y.tanh()};
    });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({16, 8}), w})[0], z = f({run.random({16, 8}), w})[0];
      y.sum().backward({}, true);
      run.see_grad("first", w);
      z.sum().backward();
      run.see_grad("other", w);
      y.pow(2).sum().backward();
      run.see_grad("second", w);
    }
  });
}

}  // namespace autograd_test
