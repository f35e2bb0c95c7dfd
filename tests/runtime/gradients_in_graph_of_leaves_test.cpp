// SPDX-License-Identifier: Apache-2.0
//
// Backward graphs that write the gradients of leaves in any layout, shared, changed, hooked, and of other threads.
#include "support/shared_leaf.h"
#include "support/trained.h"

#include <graphed/backward_here.h>
#include <graphed/host.h>

#include <torch/autograd.h>

#include <thread>
#include <vector>

namespace gradients_in_graph_of_leaves_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(GradientsInGraphOfLeaves);

TEST_P(GradientsInGraphOfLeaves, OfLeavesInAnyLayout) {
  expect_same([](scenario& run) {
    const auto leaf = [](const Tensor& tensor) { return tensor.detach().requires_grad_(); };
    const tensor_list leaves{run.leaf({2, 3, 4, 4}),
                             leaf(run.random({2, 3, 4, 4}).contiguous(at::MemoryFormat::ChannelsLast)),
                             leaf(run.random({4, 4, 3, 2}).permute({3, 2, 1, 0})),
                             leaf(run.random({2, 3, 4, 8}).narrow(3, 0, 4)),
                             leaf(run.random({1, 3, 1, 4}).expand({2, 3, 4, 4})),
                             leaf(run.random({4, 1}).t()),
                             leaf(run.random({}))};
    subject f(
        run, {{"x", {2, 3, 4, 4}}},
        [&](tensor_list& in) {
          Tensor sum = in[0];
          for (const auto& leaf : leaves) {
            sum = sum * leaf;
          }
          return tensor_list{sum};
        },
        in_graph());
    for (int step = 0; step < 10; ++step) {
      f({run.random({2, 3, 4, 4})})[0].sum().backward();
      for (const auto& leaf : leaves) {
        run.see("gradient", leaf.grad());
        if (step % 3 == 2) {
          leaf.mutable_grad().reset();
        }
      }
    }
    f.expect_replays(8, 8);
  });
}

TEST_P(GradientsInGraphOfLeaves, OfArgumentsThatAreLeaves) {
  expect_same([](scenario& run) {
    const Tensor closed_over = run.leaf({4});
    const tensor_list leaves{run.leaf({8, 4}), run.leaf({8, 4}), run.leaf({8, 4})};
    subject f(
        run, {{"x", {16, 8}}, {"u", {8, 4}, at::kFloat, true}, {"v", {8, 4}, at::kFloat, true}},
        [&](tensor_list& in) { return tensor_list{in[0].matmul(in[1]) * closed_over + in[0].matmul(in[2])}; }, in_graph());
    for (std::size_t step = 0; step < 18; ++step) {
      const Tensor &u = leaves[step % 3], v = leaves[(step / 2) % 3];
      f({run.random({16, 8}), u, v})[0].sum().backward();
      for (const Tensor& leaf : leaves) {
        run.see("gradient", leaf.grad());
      }
      run.see("closed over", closed_over.grad());
      if (step % 4 == 3) {
        u.mutable_grad().reset();
        closed_over.mutable_grad().reset();
      }
    }
  });
}

TEST_P(GradientsInGraphOfLeaves, OfArgumentsOnThreads) {
  const Tensor ones = at::ones({64}, at::TensorOptions(device()));
  std::vector<std::thread> running;
  for (int thread = 0; thread < 4; ++thread) {
    running.emplace_back([&ones] {
      const BackwardHereGuard at_once;  // autograd has one thread for all backwards of a device
      for (int round = 0; round < 10; ++round) {
        const Tensor u = at::zeros_like(ones).requires_grad_();
        test_callable f(
            {{"x", {64}}, {"u", {64}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0] * in[1]}; }, in_graph());
        for (int step = 0; step < 6; ++step) {
          u.mutable_grad().reset();
          f({ones, u})[0].backward(ones);
          EXPECT_TRUE(at::equal(u.grad(), ones)) << step;
        }
      }
    });
  }
  for (auto& thread : running) {
    thread.join();
  }
}

TEST_P(GradientsInGraphOfLeaves, BesideAnArgumentWithAHistory) {
  expect_same([](scenario& run) {
    const Tensor before = run.leaf({16, 8}), w = run.leaf({8, 4});
    subject f(run, {{"x", {16, 8}, at::kFloat, true}}, [&](tensor_list& in) { return tensor_list{in[0].matmul(w)}; }, in_graph());
    for (int step = 0; step < 12; ++step) {
      f({before * 2})[0].sum().backward();
      run.see("w", w.grad().clone());
      run.see("before", before.grad().clone());
      if (step % 3 == 2) {
        w.mutable_grad().reset();
        before.mutable_grad().reset();
      }
    }
    f.expect_replays(10, 10);
  });
}

TEST_P(GradientsInGraphOfLeaves, ChangedByAnOptimizerInBetween) {
  for (const bool to_none : {true, false}) {
    expect_same([to_none](scenario& run) {
      trained f(run);
      for (int step = 0; step < 6; ++step) {
        f.step();
        f.step();
        const at::NoGradGuard no_grad;
        for (const Tensor& leaf : {f.w, f.b}) {
          leaf.sub_(leaf.grad(), 0.1);
          run.see("leaf", leaf);
        }
        if (to_none) {
          f.drop();
        } else {
          f.w.grad().zero_();
          f.b.grad().zero_();
        }
      }
    });
  }
}

TEST_P(GradientsInGraphOfLeaves, WithHooks) {
  using add_hook = std::function<unsigned(const Tensor&, std::vector<Tensor>&)>;
  const std::vector<add_hook> kinds{
      [](const Tensor& leaf, std::vector<Tensor>& seen) {
        return leaf.register_hook([&seen](const Tensor& gradient) {
          seen.push_back(gradient);
          return gradient * 2;
        });
      },
      [](const Tensor& leaf, std::vector<Tensor>& seen) {
        return leaf.register_hook([&seen](const Tensor& gradient) { seen.push_back(gradient); });
      },
  };
  for (const auto& add : kinds) {
    expect_same([&](scenario& run) {
      trained f(run);
      std::vector<Tensor> seen;
      std::optional<unsigned> hook;
      for (int step = 0; step < 15; ++step) {
        if (step == 6) {
          hook = add(f.w, seen);
        }
        if (step == 11) {
          f.w.remove_hook(*hook);
        }
        f.step();
        f.see();
        if (step % 3 == 2) {
          f.drop();
        }
      }
      EXPECT_EQ(seen.size(), 5U);
      run.see("seen", seen);
    });
  }
}

TEST_P(GradientsInGraphOfLeaves, OfBackwardsThatDoMoreThanAccumulate) {
  expect_same([](scenario& run) {
    trained f(run);
    for (int step = 0; step < 18; ++step) {
      const Tensor y = f.forward();
      const Tensor gradient = run.random({16, 4});
      if (step % 6 == 1) {
        y.backward(gradient, /*retain_graph=*/true);
      }
      if (step % 6 == 3) {
        run.see("asked for", torch::autograd::grad({y}, {f.w}, {gradient})[0]);
      } else if (step % 6 == 4) {
        y.backward(gradient, /*retain_graph=*/false, /*create_graph=*/false, at::TensorList({f.b}));
      } else {
        y.backward(gradient);
      }
      f.see();
      if (step % 4 == 3) {
        f.drop();
      }
    }
  });
}

TEST_P(GradientsInGraphOfLeaves, OfLeavesThatTwoCallablesShare) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 8}), own = run.leaf({8, 8});
    const std::vector<argument> x{{"x", {4, 8}}};
    subject f(run, x, [&](tensor_list& in) { return tensor_list{in[0].matmul(w).tanh()}; }, in_graph());
    subject g(run, x, [&](tensor_list& in) { return tensor_list{in[0].matmul(w).matmul(own).sigmoid()}; }, in_graph());
    for (int step = 0; step < 12; ++step) {
      if (step % 3 == 2) {
        (f({run.random({4, 8})})[0] + g({run.random({4, 8})})[0]).sum().backward();  // both lead to it: the engine sums them first
      } else {
        f({run.random({4, 8})})[0].sum().backward();
        run.see("w after f", w.grad().clone());
        g({run.random({4, 8})})[0].sum().backward();
      }
      run.see("w", w.grad());
      run.see("own", own.grad());
      if (step % 2 == 1) {
        w.mutable_grad().reset();
        own.mutable_grad().reset();
      }
    }
  });
}

TEST_P(GradientsInGraphOfLeaves, OfInterleavedForwards) {
  for (const bool first_in_first_out : {true, false}) {
    expect_same([first_in_first_out](scenario& run) {
      trained f(run);
      for (int step = 0; step < 8; ++step) {
        const Tensor first = f.forward(), second = f.forward();
        f.backward(first_in_first_out ? first : second);
        f.see();
        f.backward(first_in_first_out ? second : first);
        f.see();
        if (step % 2 == 1) {
          f.drop();
        }
      }
    });
  }
}

// A recording is the call itself: what is refused must not have been added.
TEST_P(GradientsInGraphOfLeaves, OfACallWhoseParameterWasChanged) {
  for (const bool is_first : {true, false}) {
    expect_same([is_first](scenario& run) {
      trained f(run);
      for (int step = 0; step < 8; ++step) {
        const Tensor y = f.forward();
        if (step % 3 == (is_first ? 2 : 1)) {
          const at::NoGradGuard no_grad;
          y.add_(1);
        }
        run.see_error("backward", [&] { f.backward(y); });
        run.see("w", f.w.grad());
        run.see("b", f.b.grad());
      }
    });
  }
}

TEST_P(GradientsInGraphOfLeaves, OutliveTheirCallable) {
  expect_same([](scenario& run) {
    Tensor held;
    const Tensor w = run.leaf({4});
    for (int life = 0; life < 3; ++life) {
      subject f(run, {{"x", {16, 4}}}, [&](tensor_list& in) { return tensor_list{in[0] * w}; }, in_graph());
      for (int step = 0; step < 5; ++step) {
        f({run.random({16, 4})})[0].sum().backward();
        run.see("w", w.grad());
      }
      held = w.grad();
      if (life == 1) {
        w.mutable_grad().reset();
      }
    }
    run.see("held", held);
  });
}

// It accumulates into a leaf whose gradient the graph would write.
TEST_P(GradientsInGraphOfLeaves, HostPartThatGoesBackIntoTheSameLeaf) {
  static Tensor leaf;
  struct with_penalty : torch::autograd::Function<with_penalty> {
    static Tensor forward(torch::autograd::AutogradContext* /*context*/, const Tensor& y) { return y * 1; }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* /*context*/,
                                                   torch::autograd::variable_list gradients) {
      host([] {
        const c10::AutoGradMode with_history(true);
        (leaf * 2).sum().backward();
      });
      return {gradients[0] * 3};
    }
  };
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 4});
    leaf = w;
    subject f(run, {{"x", {16, 8}}}, [&](tensor_list& in) { return tensor_list{with_penalty::apply(in[0].matmul(w)).tanh()}; }, in_graph());
    for (int step = 0; step < 8; ++step) {
      f({run.random({16, 8})})[0].sum().backward();
      run.see("w", w.grad());
      w.mutable_grad().reset();
    }
    f.expect_replays(6, 6);
    leaf.reset();
  });
}

TEST_P(GradientsInGraphOfLeaves, OfThreadsThatShareLeaves) { expect_sum_of_threads(device(), in_graph()); }

}  // namespace gradients_in_graph_of_leaves_test
