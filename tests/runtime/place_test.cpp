// SPDX-License-Identifier: Apache-2.0
//
// The place that a failed capture names, in a source with debug information.
#include "support/device_test.h"

#include <graphed/error.h>

namespace place_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Place);

int line = 0;  // of the operator that fails

std::string here() { return "place_test.cpp:" + std::to_string(line) + ")"; }

struct Net {
  template <class T>
  Tensor forward(const Tensor& x) const {
    const Tensor y = x.tanh();
    line = __LINE__ + 1;
    return y * y.sum().item<T>();
  }
};

Tensor loss(const Net& net, const Tensor& x) { return net.forward<float>(x).square(); }

void expect_named(c10::Device device, const std::string& functions, const collected_warnings& warnings,
                  const std::function<Tensor(const Tensor&)>& body) {
  scenario run(device, true);
  subject f(run, {{"x", {8}}}, [&](tensor_list& in) { return tensor_list{body(in[0])}; });
  for (int call = 0; call < 3; ++call) {
    f({run.random({8})});
  }
  EXPECT_EQ(warnings.count({"the capture failed at operator", functions, here()}), 1U) << here() << warnings.all();
}

TEST_P(Place, OfARead) {
  expect_named(device(), ", called by place_test::loss (", warnings_, [](const Tensor& x) { return loss({}, x); });
}

TEST_P(Place, OfARefusedOperatorWhoseErrorIsCaught) {
  expect_named(device(), "aten::nonzero", warnings_, [](const Tensor& x) {
    try {
      line = __LINE__ + 1;
      x.nonzero();
    } catch (const std::exception&) {
    }
    return x;
  });
}

TEST_P(Place, OfAnOperatorThatThrows) {
  scenario run(device(), true);
  bool is_wrong = false;
  subject f(run, {{"x", {8}}}, [&](tensor_list& in) {
    line = __LINE__ + 1;
    return tensor_list{in[0].reshape({is_wrong ? 3 : 2, -1})};
  });
  for (int call = 0; call < 3; ++call) {
    is_wrong = call == 2;
    try {
      f({run.random({8})});
    } catch (const c10::Error&) {
    }
  }
  EXPECT_EQ(warnings_.count({"the capture failed at operator", here()}), 1U) << here() << warnings_.all();
}

TEST_P(Place, OfABackward) {
  scenario run(device(), true);
  const Tensor w = run.leaf({8});
  w.register_hook([](const Tensor& gradient) {
    line = __LINE__ + 1;
    return gradient * gradient.sum().item<float>();
  });
  settings step;
  step.step = true;
  subject f(
      run, {{"x", {8}}},
      [&](tensor_list& in) {
        (in[0] * w).sum().backward();
        return tensor_list{};
      },
      step);
  for (int call = 0; call < 4; ++call) {
    f({run.random({8})});
  }
  EXPECT_EQ(warnings_.count({"aten::_local_scalar_dense", "in place_test::Place_OfABackward_Test::TestBody (", here()}), 1U)
      << here() << warnings_.all();
}

}  // namespace place_test
