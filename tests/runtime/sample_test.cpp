// SPDX-License-Identifier: Apache-2.0
//
// Several shapes of one callable: each has captures of its own.
#include "support/device_test.h"

#include <graphed/error.h>

namespace sample_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Sample);

tensor_list layer(tensor_list& in) { return {at::tanh(in[0].matmul(in[1]))}; }

settings sizes(std::vector<int64_t> values) {
  settings all;
  all.sizes = std::move(values);
  return all;
}

TEST_P(Sample, EachSizeHasACaptureOfItsOwn) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {B, 8}}, {"w", {8, 4}, at::kFloat, true}}, layer, sizes({1, 8, 64}));
    const Tensor w = run.leaf({8, 4});
    for (int step = 0; step < 5; ++step) {
      for (const int64_t size : {1, 8, 64}) {
        const Tensor y = f({run.random({size, 8}), w})[0];
        run.see("y", y);
        y.sum().backward();
        run.see_grad("w", w);
      }
    }
    f.expect_captures(3);
    f.expect_replays(9, 9);
  });
}

TEST_P(Sample, SizesAreWarmedUpOneByOne) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {B, 8}}, {"w", {8, 4}}}, layer, sizes({1, 8}));
    for (const int64_t size : {1, 1, 1, 8, 8, 8}) {
      run.see("y", f({run.random({size, 8}), run.random({8, 4})}));
    }
    f.expect_replays(2);
    if (run.graphed()) {
      EXPECT_EQ(f.stats().warmups, 4U);
    }
  });
}

TEST_P(Sample, AnotherSizeNamesAllThatThereAre) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {B, 8}}, {"w", {8, 4}}}, layer, sizes({1, 8}));
    run.see("y", f({run.random({5, 8}), run.random({8, 4})}));
    f.expect_misses(Miss::Shape, 1);
  });
  EXPECT_EQ(warnings_.count({"parameter 'x': expected [1, 8] or [8, 8], got [5, 8]"}), 1U) << warnings_.all();
}

TEST_P(Sample, EveryArgumentThatDoesNotFitIsNamed) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {B, 8}}, {"w", {8, 4}}}, layer, sizes({1, 8}));
    run.see("y", f({run.random({5, 8}, at::kDouble), run.random({8, 2}, at::kDouble)}));
  });
  EXPECT_EQ(warnings_.count({"parameter 'x': expected f32, got f64; parameter 'w': expected f32, got f64"}), 1U) << warnings_.all();
}

TEST_P(Sample, TheSampleThatComesNearestIsNamed) {
  expect_same([](scenario& run) {
    subject f(
        run, {{"x", {B, 8}}, {"y", {B, 8}}, {"z", {B, 8}}}, [](tensor_list& in) { return tensor_list{in[0] + in[1]}; }, sizes({1, 8}));
    run.see("y", f({run.random({8, 8}), run.random({8, 8}), run.random({3, 8})}));
  });
  EXPECT_EQ(warnings_.count({"parameter 'z': expected [1, 8] or [8, 8], got [3, 8]"}), 1U) << warnings_.all();
  EXPECT_EQ(warnings_.count({"parameter 'x'"}), 0U) << warnings_.all();
}

TEST_P(Sample, StrictThrowsWithEveryArgument) {
  settings strict = sizes({1, 8});
  strict.strict = true;
  test_callable f({{"x", {B, 8}}, {"w", {8, 4}}}, layer, strict);
  const auto options = at::TensorOptions(device());
  try {
    f({at::zeros({5, 8}, options), at::zeros({8, 4}, options.dtype(at::kDouble))});
    FAIL() << "no exception";
  } catch (const GuardError& error) {
    EXPECT_EQ(std::string(error.what()),
              "graphed: test_callable (test.cpp:1): parameter 'x': expected [1, 8] or [8, 8], got [5, 8]; parameter 'w': "
              "expected f32, got f64" +
                  link_to("explanation/guards.md#what-to-do"));
  }
}

TEST_P(Sample, SlotsAreAsManyAsSaid) {
  expect_same([](scenario& run) {
    settings three;
    three.slots = 3;
    subject f(run, {{"x", {4, 8}}, {"w", {8, 4}, at::kFloat, true}}, layer, three);
    const Tensor w = run.leaf({8, 4});
    for (int step = 0; step < 4; ++step) {
      std::vector<Tensor> flying;
      for (int call = 0; call < 4; ++call) {
        flying.push_back(f({run.random({4, 8}), w})[0]);
      }
      for (const Tensor& y : flying) {
        run.see("y", y);
        y.sum().backward();
      }
      run.see_grad("w", w);
    }
    f.expect_captures(3);
    f.expect_misses(Miss::Slots, 3);  // one in each step after the first, whose calls are two warm-ups and two captures
  });
}

TEST_P(Sample, StrictThrowsWhereEverySlotIsTaken) {
  settings one;
  one.slots = 1;
  one.strict = true;
  one.warmup = 0;
  test_callable f({{"x", {4, 8}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].exp()}; }, one);
  const Tensor x = at::zeros({4, 8}, at::TensorOptions(device())).requires_grad_();
  const Tensor flying = f({x})[0];
  try {
    f({x});
    FAIL() << "no exception";
  } catch (const GuardError& error) {
    EXPECT_EQ(std::string(error.what()),
              "graphed: test_callable (test.cpp:1): every slot (1) is in use, by a call that runs or awaits its backward: `slots = n` "
              "gives more" +
                  link_to("explanation/outputs.md#calls-in-flight"));
  }
  flying.sum().backward();
  EXPECT_TRUE(at::equal(f({x})[0], x.exp()));
}

settings any(int64_t at_most) {
  settings all;
  all.any = at_most;
  return all;
}

TEST_P(Sample, EachOfTheFirstSizesThatCallsBringHasACapture) {
  expect_same([](scenario& run) {
    subject f(
        run, {{"x", {B, 8}}, {"w", {8, 4}, at::kFloat, true}, {"y", {B, 4}}},
        [](tensor_list& in) { return tensor_list{at::tanh(in[0].matmul(in[1])) + in[2]}; }, any(2));
    const Tensor w = run.leaf({8, 4});
    for (int step = 0; step < 5; ++step) {
      for (const int64_t size : {7, 1, 64}) {  // the last one is too many
        const Tensor y = f({run.random({size, 8}), w, run.random({size, 4})})[0];
        run.see("y", y);
        y.sum().backward();
        run.see_grad("w", w);
      }
    }
    f.expect_captures(2);
    f.expect_replays(6, 6);
    f.expect_misses(Miss::Sizes, 5);
    if (run.graphed()) {
      EXPECT_EQ(f.stats().sizes.at("B"), (std::vector<int64_t>{7, 1}));
    }
  });
  EXPECT_EQ(warnings_.count({"parameter 'x': expected a value of B among 7, 1, the first of 'in any 2', got B = 64"}), 1U)
      << warnings_.all();
}

TEST_P(Sample, ASizeThatACallBroughtOutlivesItsCallable) {
  const at::TensorOptions options(device());
  const Tensor w = at::full({8, 4}, 0.5, options).requires_grad_(), x = at::full({3, 8}, 2.0, options);
  Tensor y;
  {
    test_callable f({{"x", {B, 8}}, {"w", {8, 4}, at::kFloat, true}}, layer, any(1));
    for (int step = 0; step < 4; ++step) {
      y = f({x, w})[0];
    }
    f.reset();
    EXPECT_TRUE(f.stats().sizes.empty());
    f({at::full({5, 8}, 2.0, options), w});
    EXPECT_EQ(f.stats().miss_count(), 0U) << f.stats();
  }
  y.sum().backward();
  Tensor plain = w.detach().clone().requires_grad_();
  at::tanh(x.matmul(plain)).sum().backward();
  EXPECT_TRUE(at::equal(w.grad(), plain.grad()));
}

}  // namespace sample_test
