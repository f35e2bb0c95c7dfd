// SPDX-License-Identifier: Apache-2.0
//
// Averages and target networks; clipping beyond what python_test.cpp compares.
#include "support/device_test.h"

#include <graphed/average.h>
#include <graphed/clip_grad.h>

#include <limits>

namespace average_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Average);
GRAPHED_DEVICE_TEST_SUITE(Clip);

TEST_P(Average, IsTheForeachLerp) {
  expect_same([](scenario& run) {
    const std::vector<Tensor> averages = {run.leaf({4, 3}), run.random({5}, at::kDouble), at::zeros({}, run.options(at::kLong))};
    subject update(run, {{"x", {4, 3}}, {"y", {5}, at::kDouble}}, [&](tensor_list& in) {
      lerp_(averages, {in[0], in[1], at::full({}, 7, in[0].options().dtype(at::kLong))}, 0.1);
      return tensor_list{averages[2] + 1};
    });
    for (int i = 0; i < 6; ++i) {
      const Tensor x = run.random({4, 3}), y = run.random({5}, at::kDouble);
      const Tensor first = at::_foreach_lerp({averages[0].detach()}, {x}, 0.1)[0];
      const Tensor second = at::_foreach_lerp({averages[1]}, {y}, 0.1)[0];
      update({x, y});
      EXPECT_TRUE(same_bits(averages[0].detach(), first));
      EXPECT_TRUE(same_bits(averages[1], second));
      EXPECT_EQ(averages[2].item<int64_t>(), 7);
    }
    update.expect_replays(4);
  });
}

TEST_P(Average, AWeightOnTheDeviceIsReadByEachReplay) {
  expect_same([](scenario& run) {
    const Tensor average = run.random({4});
    const Tensor weight = at::zeros({}, run.options());
    subject update(run, {{"x", {4}}}, [&](tensor_list& in) {
      lerp_({average}, {in[0]}, weight);
      return tensor_list{in[0] + 1};
    });
    for (int i = 0; i < 6; ++i) {
      weight.fill_(i % 2);
      const Tensor x = run.random({4});
      const Tensor expected = i % 2 == 0 ? average.clone() : x;
      update({x});
      EXPECT_TRUE(at::equal(average, expected));
    }
    update.expect_replays(4);
  });
}

TEST_P(Average, OfModules) {
  torch::nn::BatchNorm1d average(3), model(3);
  average->to(device());
  model->to(device());
  {
    const c10::NoGradGuard no_grad;
    model->weight.fill_(3);
    model->running_mean.fill_(5);
  }
  lerp_(*average, *model, 0.25);
  EXPECT_EQ(average->weight[0].item<float>(), 1.5F);
  EXPECT_EQ(average->running_mean[0].item<float>(), 5);
  copy_(*average, *model);
  EXPECT_TRUE(at::equal(average->weight, model->weight));
  EXPECT_THROW(lerp_({model->weight}, {model->weight, model->bias}, 0.5), c10::Error);
  EXPECT_THROW(lerp_({model->weight}, {at::ones({2}, at::device(device()))}, 0.5), c10::Error);
}

Tensor with_gradient(const Tensor& gradient) {
  Tensor parameter = at::zeros_like(gradient).requires_grad_();
  parameter.mutable_grad() = gradient.clone();
  return parameter;
}

TEST_P(Clip, ToANorm) {
  const Tensor a = with_gradient(at::full({4}, 3.0F, at::device(device())));
  const Tensor b = with_gradient(at::full({4}, 4.0, at::device(device()).dtype(at::kDouble)));
  const Tensor without = at::zeros({2}, at::device(device())).requires_grad_();
  EXPECT_EQ(clip_grad_norm_({a, b, without}, 20.0).item<double>(), 10);
  EXPECT_EQ(a.grad()[0].item<float>(), 3);
  clip_grad_norm_({a, b, without}, 5.0);
  EXPECT_NEAR(a.grad()[0].item<float>(), 1.5, 1e-5);
  EXPECT_NEAR(b.grad()[0].item<double>(), 2, 1e-5);
  EXPECT_EQ(clip_grad_norm_({a, b}, 100.0, std::numeric_limits<double>::infinity()).item<double>(), b.grad()[0].item<double>());
  EXPECT_EQ(clip_grad_norm_({without}, 1.0).item<float>(), 0);
}

TEST_P(Clip, ALimitOnTheDeviceIsReadByEachReplay) {
  expect_same([](scenario& run) {
    const Tensor parameter = with_gradient(run.random({6}));
    const Tensor limit = at::zeros({}, run.options());
    subject clip(run, {{"x", {6}}}, [&](tensor_list& in) {
      parameter.grad().copy_(in[0]);
      return tensor_list{clip_grad_norm_({parameter}, limit)};
    });
    for (int i = 0; i < 6; ++i) {
      limit.fill_(0.1 * (i + 1));
      const Tensor x = run.random({6});
      run.see("norm", clip({x})[0]);
      run.see("gradient", parameter.grad());
      EXPECT_NEAR(parameter.grad().norm().item<float>(), 0.1 * (i + 1), 1e-4);
    }
    clip.expect_replays(4);
  });
}

TEST_P(Clip, ToAValue) {
  const Tensor a = with_gradient(at::arange(-3, 4, at::device(device()).dtype(at::kFloat)));
  clip_grad_value_({a}, 1.5);
  EXPECT_TRUE(at::equal(a.grad(), at::arange(-3, 4, at::device(device()).dtype(at::kFloat)).clamp(-1.5, 1.5)));
}

}  // namespace average_test
