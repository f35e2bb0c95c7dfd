// SPDX-License-Identifier: Apache-2.0
//
// Pointwise operators that run as one kernel of a graph.
#include "support/device_test.h"

#include <c10/util/irange.h>

#include <cstdlib>

namespace fused_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Fused);

/// On a GPU, where it is asked for. Captured spins come between the operators.
void expect_fused(const subject& f, c10::Device device, uint64_t operators, uint64_t kernels) {
  if (std::getenv("GRAPHED_TEST_CAPTURED_SPINS") != nullptr) {
    return;
  }
  const bool is_wanted = !device.is_cpu() && std::getenv("GRAPHED_FUSE") != nullptr;
  EXPECT_EQ(f.stats().fused_operators, is_wanted ? operators : 0U) << f.stats();
  EXPECT_EQ(f.stats().fused_kernels, is_wanted ? kernels : 0U) << f.stats();
}

TEST_P(Fused, AChainIsOneKernel) {
  expect_same([&](scenario& run) {
    subject f(run, {{"x", {64, 32}}, {"w", {32}}}, [](tensor_list& in) {
      Tensor y = in[0];
      for ([[maybe_unused]] const auto i : c10::irange(10)) {
        y = (y * in[1] + 0.5).tanh();
      }
      return tensor_list{y};
    });
    for (int call = 0; call < 6; ++call) {
      run.see("result", f({run.random({64, 32}), run.random({32})}));
    }
    if (run.graphed()) {
      expect_fused(f, device(), 30, 1);
    }
  });
}

TEST_P(Fused, BesideAProduct) {
  expect_same([&](scenario& run) {
    const Tensor w = run.random({32, 32});
    subject f(run, {{"x", {16, 32}}}, [&](tensor_list& in) {
      const Tensor h = (in[0] * 2 + 1).sigmoid();
      return tensor_list{h.mm(w).relu() * 3 - 1};
    });
    for (int call = 0; call < 6; ++call) {
      run.see("result", f({run.random({16, 32})}));
    }
    if (run.graphed()) {
      expect_fused(f, device(), 6, 2);
    }
  });
}

TEST_P(Fused, ForwardsAndBackwardsOfManyForms) {
  expect_same([](scenario& run) {
    const Tensor bias = run.leaf({8, 1});
    subject f(run, {{"x", {8, 12}, at::kFloat, /*grad=*/true}}, [&](tensor_list& in) {
      const Tensor wide = in[0].t().contiguous().t() + bias;
      const Tensor gated = at::where(wide > 0, wide.exp().log1p(), at::leaky_relu(wide, 0.1));
      return tensor_list{gated.clamp(-1, 2) / (bias.abs() + 1), (gated.detach() * 2).to(at::kHalf)};
    });
    for (int call = 0; call < 7; ++call) {
      const Tensor x = run.leaf({8, 12});
      const tensor_list results = f({x});
      results[0].square().sum().backward();
      run.see("results", results);
      run.see("gradient", x.grad());
      run.see("gradient of the bias", bias.grad());
    }
  });
}

TEST_P(Fused, ValuesInPlaceAndMemoryThatIsUsedAgain) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {1000}}}, [](tensor_list& in) {
      Tensor y = in[0] + 1;
      for ([[maybe_unused]] const auto i : c10::irange(4)) {
        const Tensor before = y.clone();
        y.mul_(0.5).add_(before.flip(0)).tanh_();
        y = y * before + y.cumsum(0);
      }
      return tensor_list{y, y.sum()};
    });
    for (int call = 0; call < 6; ++call) {
      run.see("result", f({run.random({1000})}));
    }
  });
}

}  // namespace fused_test
