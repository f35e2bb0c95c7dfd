// SPDX-License-Identifier: Apache-2.0
//
// graphed::without_copies: which copies are left out, and that all are back afterwards.
#include "support/device_test.h"

#include <graphed/without_copies.h>

namespace without_copies_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(WithoutCopies);

const std::vector<argument> arguments{{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}};
tensor_list product(tensor_list& in) { return {in[0].matmul(in[1]).tanh()}; }

struct bench {
  explicit bench(c10::Device device, output_policy outputs = output_policy::keep)
      : run(device, true), f(run, arguments, product, {1, outputs}), x(run.random({16, 8})), w(run.leaf({8, 4})) {
    for (int step = 0; step < 2; ++step) {
      f({x, w})[0].sum().backward();
      w.mutable_grad().reset();
    }
  }
  Tensor eager(const Tensor& of) const { return of.matmul(w).tanh().detach(); }

  scenario run;
  subject f;
  const Tensor x, w;
};

TEST_P(WithoutCopies, InputsAreThoseOfAnEarlierCall) {
  bench on(device());
  const Tensor other = on.run.random({16, 8});
  {
    const without_copies scope(copies::inputs);
    const uint64_t staged = on.f.stats().bytes_staged;
    EXPECT_TRUE(same_bits(on.f({other, on.w})[0].detach(), on.eager(on.x)));
    EXPECT_EQ(on.f.stats().bytes_staged, staged) << on.f.stats();
  }
  EXPECT_TRUE(same_bits(on.f({other, on.w})[0].detach(), on.eager(other)));
}

TEST_P(WithoutCopies, HeldOutputsAreOverwritten) {
  bench on(device());
  const Tensor other = on.run.random({16, 8});
  const c10::AutoGradMode no_grad(false);
  const Tensor w = on.w.detach();
  subject f(on.run, {{"x", {16, 8}}, {"w", {8, 4}}}, product, {0});
  f({on.x, w});
  {
    const without_copies scope(copies::outputs);
    const Tensor held = f({on.x, w})[0];
    f({other, w});
    EXPECT_TRUE(same_bits(held, on.eager(other)));
  }
  const Tensor held = f({on.x, w})[0];
  f({other, w});
  EXPECT_TRUE(same_bits(held, on.eager(on.x)));
}

TEST_P(WithoutCopies, ClonesAreLeftOut) {
  bench on(device(), output_policy::clone);
  const c10::AutoGradMode no_grad(false);
  on.f({on.x, on.w.detach()});
  subject f(on.run, {{"x", {16, 8}}, {"w", {8, 4}}}, product, {0, output_policy::clone});
  f({on.x, on.w.detach()});
  const without_copies scope(copies::both);
  const Tensor one = f({on.x, on.w.detach()})[0], two = f({on.x, on.w.detach()})[0];
  EXPECT_EQ(one.const_data_ptr(), two.const_data_ptr());
}

TEST_P(WithoutCopies, OfBackwardsToo) {
  bench on(device());
  const Tensor gradient = on.run.random({16, 4});
  Tensor left_out;
  {
    const without_copies scope(copies::inputs);
    on.f({on.x, on.w})[0].backward(at::ones_like(gradient));
    left_out = on.w.grad().clone();
    on.w.mutable_grad().reset();
    on.f({on.x, on.w})[0].backward(gradient);
    EXPECT_TRUE(same_bits(on.w.grad(), left_out));
    on.w.mutable_grad().reset();
  }
  on.f({on.x, on.w})[0].backward(gradient);
  EXPECT_FALSE(same_bits(on.w.grad(), left_out));
}

}  // namespace without_copies_test
