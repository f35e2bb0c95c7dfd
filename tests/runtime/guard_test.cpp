// SPDX-License-Identifier: Apache-2.0
//
// Arguments that do not match the annotation: the original function runs, the miss counts and is reported once.
#include "support/device_test.h"

#include <graphed/error.h>

namespace guard_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Guard);

tensor_list doubled(tensor_list& in) { return {in[0] * 2}; }

// Calls that match before and after calls with `other`, whose result, or exception, is eager's.
void expect_miss(c10::Device device, argument expected, Miss reason, const std::function<Tensor(const scenario&)>& other) {
  expect_same(device, [&](scenario& run) {
    subject f(run, {expected}, doubled);
    const auto fitting = [&] { return run.random(expected.shape, expected.dtype).set_requires_grad(expected.grad); };
    for (int step = 0; step < 4; ++step) {
      run.see("fits", f({fitting()}));
    }
    for (int step = 0; step < 2; ++step) {
      run.see_error("other", [&] { run.see("does not fit", f({other(run)})); });
    }
    run.see("fits", f({fitting()}));
    f.expect_replays(3);
    f.expect_misses(reason, 2);
    if (run.graphed()) {
      EXPECT_EQ(f.stats().miss_count(), 2U) << f.stats();
      EXPECT_EQ(f.stats().misses_by_parameter.at(std::string("x: ") + to_string(reason)), 2U);
    }
  });
}

TEST_P(Guard, AnotherShape) {
  expect_miss(device(), {"x", {16, 8}}, Miss::Shape, [](const scenario& run) { return run.random({5, 8}); });
  EXPECT_EQ(warnings_.count(
                {"test_callable (test.cpp:1): parameter 'x': expected [16, 8], got [5, 8]; the original function runs for such calls" +
                 link_to("explanation/guards.md#what-to-do")}),
            1U)
      << warnings_.all();
}

TEST_P(Guard, AnotherNumberOfDimensions) {
  expect_miss(device(), {"x", {16, 8}}, Miss::Shape, [](const scenario& run) { return run.random({16, 8, 1}); });
}

TEST_P(Guard, AnotherType) {
  expect_miss(device(), {"x", {16, 8}}, Miss::Dtype, [](const scenario& run) { return run.random({16, 8}, at::kDouble); });
  EXPECT_EQ(warnings_.count({"parameter 'x': expected f32, got f64"}), 1U) << warnings_.all();
}

TEST_P(Guard, ConjugateView) {
  expect_miss(device(), {"x", {16, 8}, at::kComplexFloat}, Miss::Strides,
              [](const scenario& run) { return run.random({16, 8}, at::kComplexFloat).conj(); });
}

TEST_P(Guard, NegativeView) {
  expect_miss(device(), {"x", {16, 8}}, Miss::Strides, [](const scenario& run) { return at::_neg_view(run.random({16, 8})); });
}

TEST_P(Guard, AnotherDevice) {
  expect_miss(device(), {"x", {16, 8}}, Miss::Device, [](const scenario&) { return at::empty({16, 8}, at::TensorOptions(at::kMeta)); });
}

TEST_P(Guard, ArgumentsOnTwoDevices) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}, {"y", {16, 8}}}, [](tensor_list& in) { return tensor_list{in[0] + in[1]}; });
    const auto on_meta = [] { return at::empty({16, 8}, at::TensorOptions(at::kMeta)); };
    for (int step = 0; step < 4; ++step) {
      run.see("fits", f({run.random({16, 8}), run.random({16, 8})}));
    }
    run.see_error("mixed", [&] { run.see("y", f({run.random({16, 8}), on_meta()})); });
    run.see("fits", f({run.random({16, 8}), run.random({16, 8})}));
    f.expect_misses(Miss::Device, 1);
    f.expect_replays(3);
  });
}

TEST_P(Guard, Undefined) {
  expect_miss(device(), {"x", {16, 8}}, Miss::Undefined, [](const scenario&) { return Tensor(); });
  EXPECT_EQ(warnings_.count({"parameter 'x': expected a tensor, got an undefined tensor"}), 1U) << warnings_.all();
}

Tensor misaligned(const scenario& run) { return run.random({16 * 8 + 1}).narrow(0, 1, 16 * 8).view({16, 8}); }

TEST_P(Guard, PointerAlignmentOfAStaticArgument) {
  const scenario run(device(), true);
  argument fixed{"x", {16, 8}};
  fixed.flags = flags::static_address;
  test_callable f({fixed}, doubled);
  const Tensor x = misaligned(run);
  for (int call = 0; call < 4; ++call) {
    EXPECT_TRUE(same_bits(f({x})[0], x * 2));
  }
  EXPECT_EQ(f.misses(Miss::Alignment), 4U) << f.stats();
  EXPECT_EQ(warnings_.count({"parameter 'x': expected an address that is a multiple of"}), 1U) << warnings_.all();
}

// Rows of a data set are at any address: they are copied to an aligned one.
TEST_P(Guard, MisalignedArgumentsFit) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}, at::kFloat, false, /*inplace=*/true}, {"y", {5}}}, [](tensor_list& in) {
      in[0].add_(in[1].sum());
      return tensor_list{in[0].slice(0, 0, 4), in[0] * 2};
    });
    const c10::AutoGradMode no_grad(false);
    for (int step = 0; step < 6; ++step) {
      const Tensor x = misaligned(run), rows = run.random({8, 5});
      run.see("results", f({x, rows[step]}));
      run.see("x", x);
    }
    f.expect_replays(4);
    f.expect_misses(Miss::Alignment, 0);
  });
}

TEST_P(Guard, AlignedViewOfALargerTensorFits) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 32}}}, doubled);
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({64, 32}).narrow(0, 16 * (step % 4), 16)}));
    }
    f.expect_replays(4);
  });
}

TEST_P(Guard, RequiresGradWhereTheSampleDidNot) {
  expect_miss(device(), {"x", {16, 8}}, Miss::RequiresGrad, [](const scenario& run) { return run.leaf({16, 8}); });
  EXPECT_EQ(warnings_.count({"parameter 'x': expected a tensor that does not require grad (no mark `grad`), got one that does;"}), 1U)
      << warnings_.all();
}

TEST_P(Guard, DoesNotRequireGradWhereTheSampleDid) {
  expect_miss(device(), {"x", {16, 8}, at::kFloat, true}, Miss::RequiresGrad, [](const scenario& run) { return run.random({16, 8}); });
  EXPECT_EQ(warnings_.count({"parameter 'x': expected a tensor that requires grad (marked `grad`), got one that does not;"}), 1U)
      << warnings_.all();
}

TEST_P(Guard, GradientsOfCallsThatDoNotFit) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].matmul(in[1])}; });
    const Tensor w = run.leaf({8, 4});
    for (int step = 0; step < 9; ++step) {
      const Tensor x = step % 3 == 2 ? run.leaf({16, 8}) : run.random({step % 3 == 1 ? 5 : 16, 8});
      f({x, w})[0].sum().backward();
      run.see_grad("w.grad", w);
      run.see("x.grad", x.grad());
    }
    f.expect_replays(1, 1);
    f.expect_misses(Miss::Shape, 3);
    f.expect_misses(Miss::RequiresGrad, 3);
  });
}

TEST_P(Guard, List) {
  expect_same([](scenario& run) {
    const auto sum = [](tensor_list& in) {
      Tensor total = in[0] * 1;
      for (std::size_t i = 1; i < in.size(); ++i) {
        total = total + in[i] * static_cast<double>(i + 1);
      }
      return tensor_list{total};
    };
    subject f(run, {{"list[0]", {4}}, {"list[1]", {4}}, {"list[2]", {4}}}, sum,
              {2, OutputPolicy::Keep, false, 2, {0}, std::nullopt, /*list=*/true});
    const auto list = [&](int length) {
      tensor_list made;
      for (int i = 0; i < length; ++i) {
        made.push_back(run.random({4}));
      }
      return made;
    };
    for (int length : {3, 3, 3, 3, 2, 4, 3}) {
      run.see("y", f(list(length)));
    }
    f.expect_replays(3);
    f.expect_misses(Miss::ListLength, 2);
    tensor_list misfit = list(3);
    misfit[1] = run.random({4, 4});
    run.see("y", f(misfit));
    f.expect_misses(Miss::Shape, 1);
    if (run.graphed()) {
      EXPECT_EQ(f.stats().misses_by_parameter.count("list[1]: shape"), 1U) << f.stats();
    }
  });
  EXPECT_EQ(warnings_.count({"parameter 'list': expected 3 elements, got 2"}), 1U) << warnings_.all();
}

TEST_P(Guard, StrictThrowsAndNamesTheParameter) {
  scenario run(device(), true);
  subject f(run, {{"x", {16, 8}}}, doubled, {2, OutputPolicy::Keep, /*strict=*/true});
  for (int step = 0; step < 4; ++step) {
    f({run.random({16, 8})});
  }
  const auto expect_error = [&](const Tensor& x, const std::string& text) {
    try {
      f({x});
      ADD_FAILURE() << "no error: " << text;
    } catch (const GuardError& error) {
      EXPECT_EQ(std::string(error.what()),
                "graphed: test_callable (test.cpp:1): parameter 'x': " + text + link_to("explanation/guards.md#what-to-do"));
    }
  };
  expect_error(run.random({5, 8}), "expected [16, 8], got [5, 8]");
  expect_error(run.random({16, 8}, at::kDouble), "expected f32, got f64");
  expect_error(Tensor(), "expected a tensor, got an undefined tensor");
  const Tensor x = run.random({16, 8});
  EXPECT_TRUE(same_bits(f({x})[0], x * 2));
  EXPECT_EQ(f.stats().miss_count(), 3U);
}

}  // namespace guard_test
