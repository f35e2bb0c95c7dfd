// SPDX-License-Identifier: Apache-2.0
//
// graphed::GradScaler beyond what python_test.cpp compares: the order of calls, several optimizers, optimizers from elsewhere.
#include "support/device_test.h"
#include "support/trainer.h"

#include <torch/optim/sgd.h>

#include <limits>

namespace scaler_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Scaler);

Tensor parameter(c10::Device device, float gradient) {
  Tensor made = at::zeros({3}, at::device(device)).requires_grad_();
  made.mutable_grad() = at::full_like(made, gradient).detach();
  return made;
}

TEST_P(Scaler, TheOrderOfCallsIsPythons) {
  const Tensor p = parameter(device(), 1);
  optim::SGD optimizer(std::vector{p}, optim::SGDOptions(1));
  GradScaler scaler(device());
  EXPECT_THROW(scaler.update(), c10::Error);
  scaler.unscale_(optimizer);
  EXPECT_THROW(scaler.unscale_(optimizer), c10::Error);
  scaler.step(optimizer);
  EXPECT_THROW(scaler.unscale_(optimizer), c10::Error);
  EXPECT_THROW(scaler.step(optimizer), c10::Error);
  scaler.update();
  scaler.step(optimizer);
}

TEST_P(Scaler, EachOptimizerIsSkippedByItsOwnGradients) {
  expect_same([](scenario& run) {
    const Tensor p = parameter(run.device(), 0), q = parameter(run.device(), 0);
    optim::SGD first(std::vector{p}, optim::SGDOptions(1));
    optim::RMSprop second(std::vector{q}, optim::RMSpropOptions(0.1));
    GradScaler scaler(run.device(), GradScalerOptions().init_scale(8).growth_interval(3));
    subject step(run, {{"x", {3}}, {"y", {3}}}, [&](tensor_list& in) {
      p.grad().copy_(scaler.scale(in[0]));
      q.grad().copy_(scaler.scale(in[1]));
      scaler.step(first);
      scaler.step(second);
      scaler.update();
      return tensor_list{in[0] + 1};
    });
    for (int i = 0; i < 12; ++i) {
      Tensor x = run.random({3}), y = run.random({3});
      if (i % 4 == 3) {
        (i == 3 ? x : y).fill_(std::numeric_limits<float>::infinity());
      }
      step({x, y});
      run.see("p", p);
      run.see("q", q);
      run.see("scale", scaler.get_scale());
      EXPECT_TRUE(at::isfinite(p).all().item<bool>() && at::isfinite(q).all().item<bool>());
    }
    step.expect_replays(10);
  });
}

TEST_P(Scaler, AnOptimizerFromElsewhereIsSkippedOnTheHost) {
  const Tensor p = parameter(device(), 2);
  torch::optim::SGD optimizer(std::vector{p}, torch::optim::SGDOptions(1));
  GradScaler scaler(device(), GradScalerOptions().init_scale(2));
  scaler.step(optimizer);
  scaler.update();
  EXPECT_EQ(p[0].item<float>(), -1);
  p.grad().fill_(std::numeric_limits<float>::infinity());
  scaler.step(optimizer);
  scaler.update();
  EXPECT_EQ(p[0].item<float>(), -1);
  EXPECT_EQ(scaler.get_scale(), 1);
}

TEST_P(Scaler, ACaptureThatFailsLeavesTheOrderOfCallsAlone) {
  expect_same([](scenario& run) {
    const Tensor p = parameter(run.device(), 0);
    optim::SGD optimizer(std::vector{p}, optim::SGDOptions(1));
    GradScaler scaler(run.device(), GradScalerOptions().init_scale(8));
    subject step(run, {{"x", {3}}}, [&](tensor_list& in) {
      p.grad().copy_(scaler.scale(in[0]));
      scaler.unscale_(optimizer);
      scaler.step(optimizer);
      const bool is_large = p.sum().item<float>() > 1e9;  // ends the capture, before update()
      scaler.update();
      return tensor_list{in[0] + (is_large ? 1 : 0)};
    });
    for (int i = 0; i < 6; ++i) {
      step({run.random({3})});
      run.see("p", p);
    }
    step.expect_captures(0);
  });
}

TEST_P(Scaler, OneThatIsNotEnabledOnlySteps) {
  const Tensor p = parameter(device(), 2);
  optim::SGD optimizer(std::vector{p}, optim::SGDOptions(1));
  GradScaler scaler(device(), GradScalerOptions().enabled(false));
  EXPECT_TRUE(scaler.scale(p).is_same(p));
  scaler.unscale_(optimizer);
  scaler.step(optimizer);
  scaler.update();
  EXPECT_EQ(p[0].item<float>(), -2);
  EXPECT_EQ(scaler.get_scale(), 1);
}

TEST_P(Scaler, AScaleOfOnesOwn) {
  const Tensor p = parameter(device(), 2);
  GradScaler scaler(device());
  scaler.update(4.0);
  EXPECT_EQ(scaler.get_scale(), 4);
  scaler.update(at::full({1}, 5.0F, at::device(device())));
  EXPECT_EQ(scaler.get_scale(), 5);
  EXPECT_THROW(scaler.update(at::ones({2}, at::device(device()))), c10::Error);
  EXPECT_THROW(GradScaler(device(), GradScalerOptions().growth_factor(1)), c10::Error);
  EXPECT_THROW(GradScaler(device(), GradScalerOptions().backoff_factor(1)), c10::Error);
}

}  // namespace scaler_test
