// SPDX-License-Identifier: Apache-2.0
//
// Gradients that a node gives to leaves itself: the same tensors in `.grad` as the engine leaves there.
#include "support/layer.h"
#include "support/shared_leaf.h"

#include <c10/core/InferenceMode.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/cuda.h>

namespace leaf_gradient_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(LeafGradient);

TEST_P(LeafGradient, Given) {
  expect_same([](scenario& run) {
    layer f(run);
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f();
      y.sum().backward();
      f.expect_left(y, 0);
      f.see_gradients();
      f.drop_gradients();
    }
    f.expect_checked(4);
  });
}

TEST_P(LeafGradient, AddedToThoseThatAreThere) {
  for (const auto dtype : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kComplexFloat}) {
    expect_same([dtype](scenario& run) {
      layer f(run, dtype);
      for (int step = 0; step < 8; ++step) {
        const Tensor y = f();
        y.backward(run.random({16, 4}, dtype));
        f.expect_left(y, c10::isComplexType(dtype) ? 2 : 0);  // those are not added at once
        f.see_gradients();
      }
      f.expect_checked(6);
    });
  }
}

TEST_P(LeafGradient, OneIsThereAndOneIsNot) {
  expect_same([](scenario& run) {
    layer f(run);
    for (int step = 0; step < 8; ++step) {
      const Tensor y = f();
      y.sum().backward();
      f.expect_left(y, 0);
      f.see_gradients();
      (step % 2 == 0 ? f.w : f.b).mutable_grad().reset();
    }
    f.expect_checked(6);
  });
}

TEST_P(LeafGradient, HandlesOfItShowTheSum) {
  expect_same([](scenario& run) {
    layer f(run);
    Tensor held;
    for (int step = 0; step < 8; ++step) {
      const Tensor y = f();
      y.sum().backward();
      f.expect_left(y, 0);
      held = held.defined() ? held : f.w.grad();
      EXPECT_TRUE(held.is_same(f.w.grad()));
      run.see("held", held);
    }
    f.expect_checked(6);
  });
}

TEST_P(LeafGradient, EachSumCountsAsOneChange) {
  expect_same([](scenario& run) {
    layer f(run);
    for (int step = 0; step < 8; ++step) {
      const auto before = f.w.grad().defined() ? f.w.grad()._version() : 0;
      const Tensor y = f();
      y.sum().backward();
      f.expect_left(y, 0);
      run.see("changes", f.w.grad()._version() - before);
      if (step % 4 == 3) {
        f.drop_gradients();
      }
    }
    f.expect_checked(6);
  });
}

TEST_P(LeafGradient, OnesOfEarlierCallsStay) {
  expect_same([](scenario& run) {
    layer f(run);
    tensor_list held;
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f();
      y.sum().backward();
      f.expect_left(y, 0);
      held.insert(held.end(), {f.w.grad(), f.b.grad()});
      f.drop_gradients();
    }
    run.see("held", held);
    f.expect_checked(4);
  });
}

// The next call's gradient may be the same tensor: nothing is left of it.
TEST_P(LeafGradient, WhatIsDoneToOneStaysWithIt) {
  using change = std::function<Tensor(const Tensor&)>;
  const std::vector<change> changes{
      [](const Tensor& gradient) { return gradient.mul_(2); },
      [](const Tensor& gradient) { return gradient.t(); },
      [](const Tensor& gradient) { return gradient.detach(); },
      [](const Tensor& gradient) { return gradient.requires_grad_(); },
      [](const Tensor& gradient) { return gradient.requires_grad_() * 2; },
      [](const Tensor& gradient) { return gradient.requires_grad_().mul(2).sum(); },
      [](const Tensor& gradient) { return gradient.t_(); },
      [](const Tensor& gradient) { return gradient.unsqueeze_(0), Tensor(); },
      [](const Tensor& gradient) { return gradient.set_data(at::ones({3}, gradient.options())), Tensor(); },
      [](const Tensor& gradient) { return gradient.register_hook([](const Tensor& seen) { return seen * 2; }), Tensor(); },
      [](const Tensor& gradient) {
        gradient.mutable_grad() = at::ones_like(gradient);
        return Tensor();
      },
  };
  for (const auto& change : changes) {
    for (const std::size_t held_for : {0u, 1u, 3u}) {
      expect_same([&](scenario& run) {
        layer f(run);
        std::vector<tensor_list> held;
        for (int step = 0; step < 9; ++step) {
          const Tensor y = f();
          y.sum().backward();
          f.expect_left(y, 0);
          f.see_gradients();
          if (run.graphed() && step >= 2) {
            EXPECT_EQ(f.w.grad()._version(), 0);
          }
          EXPECT_FALSE(f.w.grad().grad_fn());
          EXPECT_FALSE(f.w.grad().grad().defined());
          const Tensor gradient = f.w.grad();
          run.see_error("change", [&] { held.push_back({change(gradient.requires_grad() ? gradient.detach() : gradient), gradient}); });
          f.drop_gradients();
          if (held.size() > held_for) {
            run.see("held", held.front());
            held.erase(held.begin());
          }
        }
        f.expect_checked(7);
      });
    }
  }
}

/// Leaves of one callable that are in memory in many ways.
tensor_list leaves_of_all_layouts(const scenario& run) {
  const auto leaf = [](const Tensor& tensor) { return tensor.detach().requires_grad_(); };
  return {run.leaf({2, 3, 4, 4}),
          leaf(run.random({2, 3, 4, 4}).contiguous(at::MemoryFormat::ChannelsLast)),
          leaf(run.random({4, 4, 3, 2}).permute({3, 2, 1, 0})),
          leaf(run.random({2, 3, 4, 8}).narrow(3, 0, 4)),
          leaf(run.random({1, 3, 1, 4}).expand({2, 3, 4, 4})),
          leaf(run.random({4, 1}).t()),
          leaf(run.random({}))};
}

TEST_P(LeafGradient, OfLeavesInAnyLayout) {
  for (const bool drops : {true, false}) {
    expect_same([drops](scenario& run) {
      const tensor_list leaves = leaves_of_all_layouts(run);
      subject f(run, {{"x", {2, 3, 4, 4}}}, [&](tensor_list& in) {
        Tensor sum = in[0];
        for (const auto& leaf : leaves) {
          sum = sum * leaf;
        }
        return tensor_list{sum};
      });
      for (int step = 0; step < 6; ++step) {
        const Tensor y = f({run.random({2, 3, 4, 4})})[0];
        y.sum().backward();
        for (const auto& leaf : leaves) {
          layer::see_gradient(run, leaf);
          if (drops) {
            leaf.mutable_grad().reset();
          }
        }
        if (run.graphed() && step >= 2 && drops) {
          EXPECT_EQ(y.grad_fn()->num_outputs(), 0U);
        }
      }
    });
  }
}

TEST_P(LeafGradient, AddedToGradientsOfAnyKind) {
  using made = std::function<Tensor(const scenario&, const Tensor&)>;
  const std::vector<made> kinds{
      [](const scenario&, const Tensor& w) { return at::ones_like(w).to_sparse(); },
      [](const scenario&, const Tensor& w) { return at::ones_like(w).requires_grad_(); },
      [](const scenario&, const Tensor& w) { return at::ones_like(w).t().contiguous().t(); },
      [](const scenario& run, const Tensor&) { return at::ones({8, 8}, run.options()).narrow(1, 2, 4); },
      [](const scenario& run, const Tensor&) { return at::ones({8, 4}, run.options(at::kDouble)); },
      [](const scenario& run, const Tensor&) { return at::imag(at::ones({8, 4}, run.options(at::kComplexFloat)).conj()); },
      [](const scenario& run, const Tensor&) { return at::ones({8, 1}, run.options()).expand({8, 4}); },
      [](const scenario& run, const Tensor&) {
        const c10::InferenceMode inference;
        return at::ones({8, 4}, run.options());
      },
  };
  for (const auto& kind : kinds) {
    expect_same([&](scenario& run) {
      layer f(run);
      for (int step = 0; step < 6; ++step) {
        const Tensor y = f();
        f.w.mutable_grad() = kind(run, f.w);
        if (run.see_error("backward", [&] { y.sum().backward(); }) && !run.device().is_cpu()) {
          torch::cuda::synchronize();  // a backward that throws has the caller's stream wait for no other, that of a warm-up among them
        }
        run.see("sparse", f.w.grad().is_sparse());
        run.see("gradient", f.w.grad().is_sparse() ? f.w.grad().to_dense() : f.w.grad());
        f.b.mutable_grad().reset();
      }
    });
  }
}

TEST_P(LeafGradient, AddedTwiceWhereTwoLeavesShareOne) {
  expect_same([](scenario& run) {
    const Tensor a = run.leaf({16, 4}), b = run.leaf({16, 4});
    const Tensor shared = at::zeros({16, 4}, run.options());
    a.mutable_grad() = shared;
    b.mutable_grad() = shared.view({16, 4});
    subject f(run, {{"x", {16, 4}}}, [&](tensor_list& in) { return tensor_list{in[0] * a + b * 3}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({16, 4}).round()})[0];
      y.sum().backward();
      run.see("shared", shared);
      run.see("version", shared._version());
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(LeafGradient, NoneOfWhatTheLossDoesNotUse) {
  expect_same([](scenario& run) {
    const Tensor a = run.leaf({4}), b = run.leaf({4}), both = run.leaf({4});
    subject f(run, {{"x", {16, 4}}}, [&](tensor_list& in) { return tensor_list{in[0] * both * a, in[0] * both * b}; });
    for (int step = 0; step < 12; ++step) {
      const auto y = f({run.random({16, 4})});
      y[static_cast<std::size_t>(step % 2)].sum().backward();
      EXPECT_EQ(a.grad().defined(), step % 2 == 0);
      run.see_grad("a", a);
      run.see_grad("b", b);
      run.see_grad("both", both);
      if (run.graphed() && step >= 2) {
        EXPECT_EQ(y[0].grad_fn()->num_outputs(), 0U);
      }
    }
    f.expect_replays(10, 10);
  });
}

TEST_P(LeafGradient, OfArgumentsThatAreLeaves) {
  expect_same([](scenario& run) {
    const Tensor closed_over = run.leaf({4});
    subject f(run, {{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}},
              [&](tensor_list& in) { return tensor_list{in[0].matmul(in[1]) * closed_over}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor w = run.leaf({8, 4});
      const Tensor y = f({run.random({16, 8}), w})[0];
      y.sum().backward();
      layer::see_gradient(run, w);
      run.see_grad("closed_over", closed_over);
      if (run.graphed() && step >= 2) {
        EXPECT_EQ(y.grad_fn()->num_outputs(), 0U);
      }
    }
    f.expect_replays(4, 4);
  });
}

c10::Stream another_stream(c10::Device device) {
  return device.is_cpu() ? c10::Stream(c10::Stream::DEFAULT, device) : c10::impl::VirtualGuardImpl(device.type()).getNewStream(device);
}

void wait_for(c10::Stream stream) {
  if (!stream.device().is_cpu()) {
    stream.synchronize();
  }
}

// Work that takes a while, so that a reader that does not wait reads too early.
TEST_P(LeafGradient, ReadersWaitWhateverTheStreams) {
  for (const bool has_input : {false, true}) {
    expect_same([has_input](scenario& run) {
      const c10::Stream forward = another_stream(run.device()), backward = another_stream(run.device());
      const Tensor w = run.leaf({512, 512}), b = run.leaf({512, 512});
      subject f(run, {{"x", {512, 512}, at::kFloat, has_input}}, [&](tensor_list& in) {
        Tensor y = in[0];
        for (int i = 0; i < (run.device().is_cpu() ? 1 : 20); ++i) {
          y = (y.matmul(w) + b).tanh();
        }
        return tensor_list{y};
      });
      const Tensor before = run.leaf({512, 512});
      for (int step = 0; step < 6; ++step) {
        const c10::StreamGuard in_backward(backward);
        Tensor x = has_input ? before * 2 : run.random({512, 512}), y;
        wait_for(backward);
        {
          const c10::StreamGuard in_forward(step % 2 == 0 ? forward : backward);
          y = f({x})[0];
        }
        wait_for(forward);
        y.backward(at::ones({512, 512}, run.options()));
        run.see("w.grad", w.grad().clone());
        run.see("b.grad", b.grad().clone());
        run.see_grad("before.grad", before);
      }
      f.expect_replays(4, 4);
    });
  }
}

// A sum gives both of its terms one tensor as their gradient. Eager lets the last to come take it over.
tensor_list scaled_sum(const Tensor& x, const Tensor& y, const Tensor& scale) { return {(x + y) * scale}; }
tensor_list reshaped_sum(const Tensor& x, const Tensor& y, const Tensor& /*scale*/) { return {(x + y).view({3, 2})}; }

TEST_P(LeafGradient, IsNotAViewsOfItThatAnotherLeafGot) {
  for (const auto body : {scaled_sum, reshaped_sum}) {
    expect_same([body](scenario& run) {
      const Tensor w = run.leaf({6}), scale = run.random({6});
      subject f(run, {{"x", {2, 3}, at::kFloat, true}}, [&](tensor_list& in) { return body(in[0].view(-1), w, scale); });
      for (int step = 0; step < 6; ++step) {
        const Tensor x = run.leaf({2, 3});
        (f({x})[0] * (step + 1)).sum().backward();
        EXPECT_FALSE(w.grad().is_alias_of(x.grad()));
        w.grad().mul_(0.5);
        run.see("x.grad", x.grad());
        run.see_grad("w.grad", w);
      }
      f.expect_replays(4, 4);
    });
  }
}

TEST_P(LeafGradient, TwoViewsOfOneGradientShareItsMemoryAsInEager) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({3, 2}), scale = run.random({6});
    subject f(run, {{"x", {2, 3}, at::kFloat, true}}, [&](tensor_list& in) { return scaled_sum(in[0].view(-1), w.view(-1), scale); });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({2, 3});
      f({x})[0].sum().backward();
      EXPECT_TRUE(w.grad().is_alias_of(x.grad()));
      w.grad().mul_(0.5);
      run.see("x.grad", x.grad());
      run.see_grad("w.grad", w);
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(LeafGradient, OfThreadsThatShareLeaves) { expect_sum_of_threads(device()); }

}  // namespace leaf_gradient_test
