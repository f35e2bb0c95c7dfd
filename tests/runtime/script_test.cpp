// SPDX-License-Identifier: Apache-2.0
//
// TorchScript in a callable. On a GPU its fuser makes kernels whose results no operator makes.
#include "support/device_test.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/jit.h>

namespace script_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Script);

constexpr auto source = R"(
def energy(x, w):
    y = torch.sin(x) * w + x
    z = torch.tanh(y) * torch.sigmoid(y) - x * x
    return z.sum(1) * 0.5 + torch.exp(-x * x).sum(1)
def waves(x, w):
    y = torch.sin(x) * w + x
    return torch.tanh(y) * torch.sigmoid(y) - x * x
)";

/// Compiled, and called until its code is the one that stays.
class script {
 public:
  script(const scenario& run, std::string function) : unit_(torch::jit::compile(source)), function_(std::move(function)) {
    for (int call = 0; call < 5; ++call) {
      Tensor x = at::ones({16, 8}, run.options()).requires_grad_(call % 2 == 1);
      const Tensor y = (*this)(x, at::ones({8}, run.options()));
      if (y.requires_grad()) {
        torch::autograd::grad({y.sum()}, {x});
      }
    }
  }
  Tensor operator()(const Tensor& x, const Tensor& w) const { return unit_->run_method(function_, x, w).toTensor(); }

 private:
  std::shared_ptr<torch::jit::CompilationUnit> unit_;
  const std::string function_;
};

TEST_P(Script, Function) {
  expect_same([](scenario& run) {
    const script waves(run, "waves");
    subject f(run, {{"x", {16, 8}}, {"w", {8}}}, [&](tensor_list& in) { return tensor_list{waves(in[0], in[1])}; });
    for (int step = 0; step < 8; ++step) {
      run.see("y", f({run.random({16, 8}), run.random({8})}));
    }
    f.expect_captures(1);
  });
}

TEST_P(Script, BetweenOperators) {
  expect_same([](scenario& run) {
    const script energy(run, "energy");
    subject f(run, {{"x", {16, 8}}, {"w", {8}}}, [&](tensor_list& in) { return tensor_list{energy(in[0] * 2, in[1].exp()).cumsum(0)}; });
    for (int step = 0; step < 8; ++step) {
      run.see("y", f({run.random({16, 8}), run.random({8})}));
    }
    f.expect_captures(1);
  });
}

// Energies and forces, as interatomic potentials are deployed.
TEST_P(Script, Forces) {
  expect_same([](scenario& run) {
    const script energy(run, "energy");
    const Tensor weight = run.random({8});
    subject f(run, {{"positions", {16, 8}}}, [&](tensor_list& in) {
      const at::AutoGradMode on(true);
      const Tensor positions = in[0].detach().requires_grad_();
      const Tensor energies = energy(positions, weight);
      return tensor_list{energies.detach(), torch::autograd::grad({energies.sum()}, {positions})[0].neg()};
    });
    for (int step = 0; step < 8; ++step) {
      run.see("energies and forces", f({run.random({16, 8})}));
    }
    f.expect_captures(1);
  });
}

TEST_P(Script, Gradients) {
  expect_same([](scenario& run) {
    const script energy(run, "energy");
    subject f(run, {{"x", {16, 8}, at::kFloat, true}},
              [&](tensor_list& in) { return tensor_list{energy(in[0], at::ones({8}, run.options()))}; });
    for (int step = 0; step < 8; ++step) {
      Tensor x = run.random({16, 8}).requires_grad_();
      const Tensor y = f({x})[0];
      y.sum().backward();
      run.see("y", y);
      run.see_grad("gradient", x);
    }
    f.expect_captures(1);
  });
}

}  // namespace script_test
