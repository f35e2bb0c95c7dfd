// SPDX-License-Identifier: Apache-2.0
//
// graphed::Scalar: a new value on each call, without a new capture.
#include "support/device_test.h"

#include <graphed/error.h>

namespace live_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Live);

/// A callable `f(x, value)`, called as generated code calls it.
class scaled {
 public:
  using body = std::function<Tensor(const Tensor&, const Scalar&)>;
  scaled(const scenario& run, body plain, bool grad = false)
      : plain_(std::move(plain)), subject_(run, {{"x", {4, 8}, at::kFloat, grad}}, [this](tensor_list& in) {
          return tensor_list{plain_(in[0], in.size() > 1 ? Scalar::over(in[1]) : *now_)};
        }) {}
  Tensor operator()(const Tensor& x, const Scalar& value) {
    now_ = &value;
    return subject_({x}, Scalars().live("value", value))[0];
  }
  subject& counts() { return subject_; }

 private:
  const body plain_;
  const Scalar* now_ = nullptr;
  subject subject_;
};

TEST_P(Live, EachCallHasItsValue) {
  expect_same([](scenario& run) {
    scaled f(run, [](const Tensor& x, const Scalar& value) { return x * value.tensor(x.device()); });
    for (int step = 0; step < 8; ++step) {
      run.see("y", f(run.random({4, 8}), 0.1 * step));
    }
    f.counts().expect_captures(1);
    f.counts().expect_replays(6);
  });
}

TEST_P(Live, IntegersAndBools) {
  expect_same([](scenario& run) {
    scaled f(run, [](const Tensor& x, const Scalar& value) { return x * value.tensor(x.device()); });
    for (int step = 0; step < 12; ++step) {
      const Scalar value = step % 3 == 0 ? Scalar(step) : step % 3 == 1 ? Scalar(step % 2 == 0) : Scalar(0.5 * step);
      run.see("y", f(run.random({4, 8}), value));
    }
    f.counts().expect_captures(3);
  });
}

TEST_P(Live, InTheDtypeOfATensor) {
  expect_same([](scenario& run) {
    scaled f(run, [](const Tensor& x, const Scalar& value) { return x.pow(2) - value.like(x); });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f(run.random({4, 8}), 1.0 / (step + 1)));
    }
    f.counts().expect_replays(4);
  });
}

TEST_P(Live, BackwardUsesTheValueOfItsForward) {
  expect_same([](scenario& run) {
    scaled f(run, [](const Tensor& x, const Scalar& value) { return (x * value.tensor(x.device())).tanh(); }, /*grad=*/true);
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({4, 8}), z = run.leaf({4, 8});
      const Tensor first = f(x, 0.25 * step);
      const Tensor second = f(z, -0.5 * step);
      first.sum().backward();
      second.sum().backward();
      run.see_grad("x", x);
      run.see_grad("z", z);
    }
  });
}

TEST_P(Live, ReadingItOnTheHostFailsTheCapture) {
  expect_same([](scenario& run) {
    scaled f(run, [](const Tensor& x, const Scalar& value) { return x * value.value().toDouble(); });
    for (int step = 0; step < 5; ++step) {
      run.see("y", f(run.random({4, 8}), 0.1 * step));
    }
    f.counts().expect_captures(0);
  });
  EXPECT_EQ(warnings_.count({"value() of a graphed::Scalar would be frozen by a capture: use tensor()"}), 1U) << warnings_.all();
}

TEST_P(Live, OneThatIsNoParameterFailsTheCapture) {
  expect_same([](scenario& run) {
    const Scalar other(2.0);
    subject f(run, {{"x", {4, 8}}}, [&](tensor_list& in) { return tensor_list{in[0] * other.tensor(in[0].device())}; });
    for (int step = 0; step < 5; ++step) {
      run.see("y", f({run.random({4, 8})}));
    }
    f.expect_captures(0);
  });
  EXPECT_EQ(warnings_.count({"a graphed::Scalar that is not a parameter of the callable would be frozen"}), 1U) << warnings_.all();
}

TEST(LiveScalar, KeepsItsNumber) {
  EXPECT_EQ(graphed::Scalar(int64_t{1} << 60).value().toLong(), int64_t{1} << 60);
  EXPECT_EQ(graphed::Scalar(0.1).tensor(at::kCPU).item<double>(), 0.1);
  EXPECT_EQ(graphed::Scalar(true).dtype(), at::kBool);
  EXPECT_EQ(graphed::Scalar(3).tensor(at::kCPU).scalar_type(), at::kLong);
  EXPECT_EQ(graphed::Scalar(0.1).like(at::zeros({2}, at::kHalf)).scalar_type(), at::kHalf);
}

}  // namespace live_test
