// SPDX-License-Identifier: Apache-2.0
//
// Backward graphs that write leaves' `.grad`, or add to it: the same tensors there as eager leaves, and when the graph does it.
#include "support/device_test.h"

#include <torch/autograd.h>

#include <cstdlib>
#include <set>
#include <thread>

namespace {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(GradientsInGraph);

settings in_graph() {
  settings made;
  made.grads_in_graph = true;
  return made;
}

void see_gradient(scenario& run, const Tensor& leaf) {
  run.see("gradient", leaf.grad());
  if (leaf.grad().defined()) {
    run.see("metadata", leaf.grad().unsafeGetTensorImpl()->allow_tensor_metadata_change());
    run.see("view", leaf.grad().is_view());
    run.see("requires grad", leaf.grad().requires_grad());
  }
}

/// A layer over two leaves. Its backward gets random numbers.
class trained {
 public:
  explicit trained(scenario& run, settings settings = in_graph(), c10::ScalarType dtype = at::kFloat)
      : w(run.leaf({8, 4}, dtype)),
        b(run.leaf({16, 4}, dtype)),
        run_(run),
        call_(run, {{"x", {16, 8}, dtype}}, [this](tensor_list& in) { return tensor_list{(in[0].matmul(w) + b).tanh()}; }, settings) {}

  Tensor forward() { return call_({run_.random({16, 8}, w.scalar_type())})[0]; }
  void backward(const Tensor& y) { y.backward(run_.random({16, 4}, w.scalar_type())); }
  void step() { backward(forward()); }
  void see() {
    for (const Tensor& leaf : {w, b}) {
      see_gradient(run_, leaf);
    }
  }
  void drop() {
    w.mutable_grad().reset();
    b.mutable_grad().reset();
  }
  /// Of backwards, in the graphed run; a verified call changes no `.grad` in its graph.
  void expect_captures(uint64_t backward) const {
    if (run_.graphed() && std::getenv("GRAPHED_VERIFY") == nullptr) {
      EXPECT_EQ(call_.stats().backward_captures, backward) << call_.stats();
      EXPECT_EQ(call_.stats().miss_count(), 0U) << call_.stats();
    }
  }
  void expect_moved(uint64_t gradients) const {
    if (run_.graphed() && std::getenv("GRAPHED_VERIFY") == nullptr) {
      EXPECT_EQ(call_.stats().kept_outputs, gradients) << call_.stats();
    }
  }

  const Tensor w, b;

 private:
  scenario& run_;
  subject call_;
};

TEST_P(GradientsInGraph, Written) {
  expect_same([](scenario& run) {
    trained f(run);
    std::set<const void*> places;
    for (int step = 0; step < 8; ++step) {
      f.step();
      f.see();
      EXPECT_EQ(f.w.grad()._version(), 0);
      if (step >= 2) {
        places.insert(f.w.grad().const_data_ptr());
      }
      f.drop();
    }
    if (run.graphed() && std::getenv("GRAPHED_VERIFY") == nullptr) {
      EXPECT_EQ(places.size(), 1U);
    }
    f.expect_captures(1);
  });
}

TEST_P(GradientsInGraph, AddUpOverMicroBatches) {
  for (const auto dtype : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16}) {
    expect_same([dtype](scenario& run) {
      trained f(run, in_graph(), dtype);
      for (int step = 0; step < 5; ++step) {
        f.drop();
        for (int micro_batch = 0; micro_batch < 4; ++micro_batch) {
          const auto before = f.w.grad().defined() ? f.w.grad()._version() + 1 : 0;
          f.step();
          f.see();
          EXPECT_EQ(f.w.grad()._version(), before);
        }
      }
      f.expect_captures(4);  // what the warm-ups have left: given after the graph, then added to there; written, added to at home
      f.expect_moved(0);
    });
  }
}

TEST_P(GradientsInGraph, OfComplexLeavesAreWritten) {
  expect_same([](scenario& run) {
    trained f(run, in_graph(), at::kComplexFloat);
    for (int step = 0; step < 8; ++step) {
      f.step();
      f.see();
      if (step % 3 == 2) {
        f.drop();
      }
    }
  });
}

TEST_P(GradientsInGraph, AddUpWhereTheyLie) {
  expect_same([](scenario& run) {
    trained f(run);
    f.step();
    const Tensor held = f.w.grad();
    for (int step = 0; step < 9; ++step) {
      f.step();
      EXPECT_TRUE(f.w.grad().is_same(held));
      f.see();
      run.see("version", held._version());
      if (step % 3 == 2) {
        f.w.grad().zero_();
        f.b.grad().zero_();
      }
    }
    f.expect_captures(2);  // seen there once, and from then on
    f.expect_moved(0);
  });
}

TEST_P(GradientsInGraph, AddUpInABucket) {
  expect_same([](scenario& run) {
    trained f(run);
    const Tensor bucket = at::zeros({8 * 4 + 16 * 4 + 4}, run.options());
    f.w.mutable_grad() = bucket.narrow(0, 4, 8 * 4).view({8, 4});
    f.b.mutable_grad() = bucket.narrow(0, 4 + 8 * 4, 16 * 4).view({16, 4});
    for (int step = 0; step < 8; ++step) {
      f.step();
      run.see("bucket", bucket);
      run.see("version", bucket._version());
      if (step % 3 == 2) {
        bucket.zero_();
      }
    }
    f.expect_captures(2);
  });
}

TEST_P(GradientsInGraph, WhatIsHeldStays) {
  for (const auto policy : {output_policy::keep, output_policy::alias, output_policy::clone}) {
    expect_same([policy](scenario& run) {
      settings chosen = in_graph();
      chosen.outputs = policy;
      trained f(run, chosen);
      tensor_list held;
      for (int step = 0; step < 6; ++step) {
        for (int micro_batch = 0; micro_batch < 2; ++micro_batch) {
          f.step();
        }
        held.insert(held.end(), {f.w.grad(), f.b.grad().view({-1}), f.b.grad().detach()});
        const void* const place = f.w.grad().const_data_ptr();
        f.drop();
        f.step();
        run.see("held", held);
        if (policy == output_policy::clone) {
          EXPECT_EQ(held[held.size() - 3].const_data_ptr(), place);
        }
      }
    });
  }
}

TEST_P(GradientsInGraph, WhatIsDoneToOneStaysWithIt) {
  using change = std::function<void(Tensor&)>;
  const std::vector<change> changes{
      [](Tensor& gradient) { gradient.mul_(2); },
      [](Tensor& gradient) { gradient.t_(); },
      [](Tensor& gradient) { gradient.requires_grad_(); },
      [](Tensor& gradient) { gradient.set_data(at::ones({8, 4}, gradient.options())); },
      [](Tensor& gradient) { gradient = gradient.t().contiguous().t(); },
      [](Tensor& gradient) { gradient = gradient.to_sparse(); },
      [](Tensor& gradient) { gradient = gradient.clone(); },
  };
  for (const auto& change : changes) {
    for (const bool drops : {true, false}) {
      expect_same([&](scenario& run) {
        trained f(run);
        tensor_list held;
        for (int step = 0; step < 8; ++step) {
          f.step();
          run.see_error("change", [&] { change(f.w.mutable_grad()); });
          held = {f.w.grad()};
          if (drops) {
            f.drop();
          }
          run.see_error("backward", [&] { f.step(); });
          const Tensor& left = f.w.grad();
          run.see("gradient", left.is_sparse() ? left.to_dense() : left);
          run.see("held", held[0].is_sparse() ? held[0].to_dense() : held[0]);
          run.see("b", f.b.grad());
          f.drop();
        }
      });
    }
  }
}

TEST_P(GradientsInGraph, OneIsThereAndOneIsNot) {
  expect_same([](scenario& run) {
    trained f(run);
    for (int step = 0; step < 12; ++step) {
      f.step();
      f.see();
      (step % 2 == 0 ? f.w : f.b).mutable_grad().reset();
    }
  });
}

TEST_P(GradientsInGraph, NoneOfWhatTheLossDoesNotUse) {
  expect_same([](scenario& run) {
    const Tensor a = run.leaf({4}), b = run.leaf({4});
    subject f(run, {{"x", {16, 4}}}, [&](tensor_list& in) { return tensor_list{in[0] * a, in[0] * b}; }, in_graph());
    for (int step = 0; step < 12; ++step) {
      for (int micro_batch = 0; micro_batch < 2; ++micro_batch) {
        const auto y = f({run.random({16, 4})});
        y[static_cast<std::size_t>(step % 2)].sum().backward();
      }
      EXPECT_EQ(a.grad().defined(), step % 2 == 0);
      run.see_grad("a", a);
      run.see_grad("b", b);
    }
    f.expect_replays(22, 22);
  });
}

TEST_P(GradientsInGraph, SharedByTwoLeaves) {
  expect_same([](scenario& run) {
    const Tensor a = run.leaf({16, 4}), b = run.leaf({16, 4});
    const Tensor shared = at::zeros({16, 4}, run.options());
    a.mutable_grad() = shared;
    b.mutable_grad() = shared.view({16, 4});
    subject f(run, {{"x", {16, 4}}}, [&](tensor_list& in) { return tensor_list{in[0] * a + b * 3}; }, in_graph());
    for (int step = 0; step < 8; ++step) {
      f({run.random({16, 4}).round()})[0].sum().backward();
      run.see("shared", shared);
      run.see("version", shared._version());
    }
  });
}

TEST_P(GradientsInGraph, OfLeavesInAnyLayout) {
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

TEST_P(GradientsInGraph, OfArgumentsThatAreLeaves) {
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

TEST_P(GradientsInGraph, BesideAnArgumentWithAHistory) {
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

TEST_P(GradientsInGraph, ChangedByAnOptimizerInBetween) {
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

TEST_P(GradientsInGraph, WithHooks) {
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

TEST_P(GradientsInGraph, OfBackwardsThatDoMoreThanAccumulate) {
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

TEST_P(GradientsInGraph, OfLeavesThatTwoCallablesShare) {
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

TEST_P(GradientsInGraph, OfInterleavedForwards) {
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
TEST_P(GradientsInGraph, OfACallWhoseParameterWasChanged) {
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

TEST_P(GradientsInGraph, OutliveTheirCallable) {
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

TEST_P(GradientsInGraph, OfThreadsThatShareLeaves) {
  constexpr int threads = 3, steps = 60;
  const Tensor w = at::zeros({64}, at::TensorOptions(device())).requires_grad_();
  std::vector<std::unique_ptr<test_callable>> callables;
  const Tensor ones = at::ones({64}, at::TensorOptions(device()));
  for (int i = 0; i < threads; ++i) {
    callables.push_back(std::make_unique<test_callable>(
        std::vector<argument>{{"x", {64}}}, [&w](tensor_list& in) { return tensor_list{in[0] * w}; }, in_graph()));
    for (int step = 0; step < 4; ++step) {
      (*callables.back())({ones})[0].backward(ones);
    }
  }
  w.mutable_grad() = at::zeros_like(w);
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      for (int step = 0; step < steps; ++step) {
        (*callables[static_cast<std::size_t>(i)])({ones})[0].backward(ones);
      }
    });
  }
  for (auto& thread : running) {
    thread.join();
  }
  EXPECT_TRUE(at::equal(w.grad(), ones * threads * steps)) << w.grad()[0].item<float>();
}

}  // namespace
