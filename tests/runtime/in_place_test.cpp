// SPDX-License-Identifier: Apache-2.0
//
// Arguments that the callable writes.
#include "support/device_test.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(InPlace);

const argument written{"x", {16, 8}, at::kFloat, false, true};

TEST_P(InPlace, ArgumentWithoutGradients) {
  expect_same([](scenario& run) {
    subject f(run, {written}, [](tensor_list& in) {
      in[0].mul_(2).add_(1);
      return tensor_list{};
    });
    const Tensor x = run.random({16, 8});
    for (int step = 0; step < 6; ++step) {
      const auto version = x._version();
      EXPECT_TRUE(f({x}).empty());
      EXPECT_GT(x._version(), version);
      run.see("x", x);
    }
    f.expect_replays(4);
  });
}

TEST_P(InPlace, ResultThatIsTheArgument) {
  expect_same([](scenario& run) {
    subject f(run, {written, {"y", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].add_(in[1]), in[0].exp()}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.random({16, 8});
      const auto results = f({x, run.random({16, 8})});
      EXPECT_TRUE(results[0].is_same(x));
      run.see("results", results);
      run.see("x", x);
    }
    f.expect_replays(4);
  });
}

TEST_P(InPlace, ArgumentGetsHistoryFromAParameter) {
  expect_same([](scenario& run) {
    subject f(run, {written, {"w", {16, 8}, at::kFloat, true}}, [](tensor_list& in) {
      in[0].mul_(in[1]).tanh_();
      return tensor_list{};
    });
    const Tensor w = run.leaf({16, 8});
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.random({16, 8});
      f({x, w});
      EXPECT_TRUE(x.requires_grad());
      EXPECT_FALSE(x.is_leaf());
      run.see("x", x);
      x.pow(2).sum().backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(InPlace, ArgumentWithHistoryThatIsReturned) {
  expect_same([](scenario& run) {
    subject f(run, {written, {"w", {8}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{in[0].add_(in[1].exp()), in[1].sum()}; });
    const Tensor w = run.leaf({8});
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.random({16, 8});
      const auto results = f({x, w});
      EXPECT_TRUE(results[0].is_same(x));
      run.see("results", results);
      (results[0].pow(2).sum() + results[1]).backward();
      run.see_grad("w.grad", w);
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(InPlace, CallableThatSpoilsItsOwnBackward) {
#if defined(__SANITIZE_ADDRESS__)
  // Eager leaks this by itself: matmul saved the tensor whose new history holds matmul's node.
  const __lsan::ScopedDisabler leak_of_eager;
#endif
  expect_same([](scenario& run) {
    subject f(run, {written, {"w", {8, 8}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{in[0].add_(in[0].matmul(in[1]))}; });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({16, 8}), w})[0];
      run.see("y", y);
      try {
        y.sum().backward();
        ADD_FAILURE() << "no error";
      } catch (const std::exception& error) {
        EXPECT_NE(message_of(error).find("modified by an inplace operation: ["), std::string::npos) << error.what();
      }
      run.see_grad("w.grad", w);
    }
  });
}

TEST_P(InPlace, ArgumentThatRequiresGradients) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}, at::kFloat, true, true}}, [](tensor_list& in) {
      in[0].mul_(3).sigmoid_();
      return tensor_list{};
    });
    const Tensor leaf = run.leaf({16, 8});
    for (int step = 0; step < 6; ++step) {
      const Tensor x = leaf * 2;
      run.see_error("forward", [&] { f({x}); });
      run.see("x", x);
      x.sum().backward();
      run.see_grad("leaf.grad", leaf);
    }
  });
}

TEST_P(InPlace, CounterOfAnotherType) {
  expect_same([](scenario& run) {
    subject f(run, {{"count", {4}, at::kLong, false, true}, {"x", {16, 4}}}, [](tensor_list& in) {
      in[0].add_((in[1] > 0).sum(0));
      return tensor_list{in[1] * in[0]};
    });
    const Tensor count = at::zeros({4}, run.options(at::kLong));
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({count, run.random({16, 4})}));
      run.see("count", count);
    }
    f.expect_replays(4);
  });
}

TEST_P(InPlace, ViewsOfTheArgumentSeeTheResult) {
  expect_same([](scenario& run) {
    subject f(run, {written}, [](tensor_list& in) {
      in[0].neg_();
      return tensor_list{};
    });
    const Tensor x = run.random({16, 8}), row = x[2];
    for (int step = 0; step < 5; ++step) {
      f({x});
      run.see("row", row);
    }
    f.expect_replays(3);
  });
}

TEST_P(InPlace, ArgumentThatSharesMemoryWithAnotherRunsPlainly) {
  expect_same([](scenario& run) {
    subject f(run, {written, {"y", {16, 8}}}, [](tensor_list& in) {
      in[0].add_(in[1]);
      return tensor_list{in[1] * 2};
    });
    const Tensor x = run.random({16, 8});
    for (int step = 0; step < 5; ++step) {
      run.see("y", f({x, step % 2 == 0 ? x : run.random({16, 8})}));
      run.see("x", x);
    }
    f.expect_misses(miss::overlap, 3);
  });
}

TEST_P(InPlace, WriteToAnUnmarkedArgumentStillReachesTheCaller) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0].add_(1) * 2}; });
    const Tensor x = run.random({16, 8});
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({x}));
      run.see("x", x);
    }
    f.expect_captures(0);
  });
  EXPECT_EQ(warnings_.count({"test_callable", "'x'", "inplace", "aten::add_"}), 1U) << warnings_.all();
}

TEST_P(InPlace, ArgumentAssignedAnotherTensorRunsPlainly) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) {
      in[0] = in[0] * 2;
      return tensor_list{in[0] + 1};
    });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({16, 8})}));
    }
    f.expect_captures(0);
  });
}

}  // namespace
