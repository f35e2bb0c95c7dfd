// SPDX-License-Identifier: Apache-2.0
//
// Copies from host memory inside of a callable: a capture holds those of constants, and refuses the others.
#include "support/device_test.h"

#include <torch/types.h>

#include <cmath>

namespace host_copy_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(HostCopy);

void expect_replayed(c10::Device device, const std::function<tensor_list(const Tensor&)>& body) {
  expect_same(device, [&](scenario& run) {
    subject f(run, {{"x", {4, 8}}}, [&](tensor_list& in) { return body(in[0]); });
    for (int step = 0; step < 7; ++step) {
      run.see("y", f({run.random({4, 8})}));
    }
    f.expect_replays(5);
  });
}

TEST_P(HostCopy, PositionsOfAnEmbedding) {
  expect_replayed(device(), [](const Tensor& x) {
    const Tensor rates = at::exp(at::arange(4, at::kFloat) * (-std::log(10000.0) / 3)).to(x.device());
    const Tensor angles = x.select(1, 0).unsqueeze(1) * rates.unsqueeze(0);
    return tensor_list{at::cat({angles.sin(), angles.cos()}, 1), rates};
  });
}

TEST_P(HostCopy, NumbersInTheProgram) {
  expect_replayed(device(), [](const Tensor& x) {
    const Tensor mean = torch::tensor({0.485, 0.456, 0.406, 0.5}).to(x.device(), at::kFloat);
    return tensor_list{x - mean.unsqueeze(1), x * torch::tensor(2.5).to(x.options()),
                       x.index_select(0, torch::tensor({2, 0}).to(x.device()))};
  });
}

TEST_P(HostCopy, EachReplayBeginsWithTheConstant) {
  expect_replayed(device(), [](const Tensor& x) {
    const Tensor sum = at::ones({8}).to(x.device());
    sum.add_(x.select(0, 0)).mul_(2);
    return tensor_list{sum};
  });
}

TEST_P(HostCopy, IntoATensorOfTheDevice) {
  expect_replayed(device(), [](const Tensor& x) {
    Tensor to = at::empty({4, 8}, x.options());
    to.copy_(at::arange(8));
    to.select(0, 1).copy_(at::eye(8).select(0, 2), /*non_blocking=*/true);
    return tensor_list{to * x, to};
  });
}

TEST_P(HostCopy, IndicesAndOperands) {
  expect_replayed(device(), [](const Tensor& x) {
    const Tensor rows = torch::tensor({2, 0, 3});
    Tensor y = x.clone();
    y.index_put_({rows, at::arange(3)}, torch::tensor({1.5, 2.5, 3.5}).to(x.options()));
    y.index_put_({at::arange(2)}, at::full({}, 7.0), /*accumulate=*/true);
    return tensor_list{x.index({rows}), x.index({at::indexing::Slice(), at::arange(8).flip(0)}), y,
                       at::where(x > 0, torch::tensor(1.0), at::zeros({}))};
  });
}

TEST_P(HostCopy, WithADtypeAndStrides) {
  expect_replayed(device(), [](const Tensor& x) {
    const Tensor half = at::linspace(-70000, 70000, 32, at::kDouble).view({4, 8}).t().to(x.device(), at::kHalf);
    return tensor_list{half, half.t() + x};
  });
}

TEST_P(HostCopy, WithGradients) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8});
    subject f(run, {{"x", {4, 8}, at::kFloat, true}},
              [&](tensor_list& in) { return tensor_list{(in[0] * at::arange(8, at::kFloat).to(in[0].device()) * w).tanh()}; });
    for (int step = 0; step < 7; ++step) {
      const Tensor x = run.leaf({4, 8});
      const Tensor y = f({x})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("x.grad", x);
      run.see_grad("w.grad", w);
    }
    f.expect_replays(5, 5);
  });
}

// On a tape such a copy is an operator of the host like others.
void expect_refused_on_cuda(c10::Device device, const std::function<Tensor(const Tensor&)>& body, const std::string& why,
                            const collected_warnings& warnings) {
  expect_same(device, [&](scenario& run) {
    subject f(run, {{"x", {4}}}, [&](tensor_list& in) { return tensor_list{body(in[0])}; });
    for (int step = 0; step < 5; ++step) {
      run.see("y", f({run.random({4})}));
    }
    f.expect_replays(device.is_cpu() ? 3 : 0);
  });
  EXPECT_EQ(warnings.count({"copies a tensor from host memory, whose values a graph would freeze: " + why}), device.is_cpu() ? 0U : 1U)
      << warnings.all();
}

TEST_P(HostCopy, ATensorOfAVectorIsRefused) {
  const std::vector<float> numbers{1, 2, 3, 4};
  expect_refused_on_cuda(
      device(), [&](const Tensor& x) { return x * torch::tensor(numbers).to(x.device()); }, "the host has had access to its memory",
      warnings_);
}

TEST_P(HostCopy, ATensorThatTheHostWritesIsRefused) {
  expect_refused_on_cuda(
      device(),
      [](const Tensor& x) {
        const Tensor mask = at::zeros({4});
        mask.accessor<float, 1>()[1] = 0;
        return x * mask.to(x.device());
      },
      "the host has had access to its memory", warnings_);
}

TEST_P(HostCopy, ABlobIsRefused) {
  float numbers[4] = {1, 2, 3, 4};
  expect_same([&](scenario& run) {
    subject f(run, {{"x", {4}}}, [&](tensor_list& in) { return tensor_list{in[0] * at::from_blob(numbers, {4}).to(in[0].device())}; });
    for (int step = 0; step < 5; ++step) {
      run.see("y", f({run.random({4})}));
    }
    f.expect_replays(0);
  });
  EXPECT_EQ(warnings_.count({"it uses a tensor of shape [4] that it replaces, or makes of host memory, on each call"}), 1U)
      << warnings_.all();
}

// Refused before anything is drawn: the original function draws it.
TEST_P(HostCopy, ADrawnTensorIsRefused) {
  expect_same([&](scenario& run) {
    subject f(run, {{"x", {4}}},
              [&](tensor_list& in) { return tensor_list{in[0] * at::bernoulli(at::full({4}, 0.5)).to(in[0].device())}; });
    for (int step = 0; step < 7; ++step) {
      run.see("y", f({run.random({4})}));
      run.see("drawn on the host", at::rand({2}));
    }
    f.expect_replays(device().is_cpu() ? 5 : 0);
  });
  EXPECT_EQ(warnings_.count({"operator aten::bernoulli draws random numbers on the host, which a graph would freeze"}),
            device().is_cpu() ? 0U : 1U)
      << warnings_.all();
}

}  // namespace host_copy_test
