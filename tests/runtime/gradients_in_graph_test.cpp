// SPDX-License-Identifier: Apache-2.0
//
// Backward graphs that write leaves' `.grad`, or add to it: the same tensors there as eager leaves, and when the graph does it.
#include "support/trained.h"

#include <cstdlib>
#include <set>

namespace gradients_in_graph_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(GradientsInGraph);

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
  for (const auto policy : {OutputPolicy::Keep, OutputPolicy::Alias, OutputPolicy::Clone}) {
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
        if (policy == OutputPolicy::Clone) {
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

}  // namespace gradients_in_graph_test
