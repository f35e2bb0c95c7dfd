// SPDX-License-Identifier: Apache-2.0
//
// Programs whose data is in the memory of the host: a controller that reads sensors and drives motors, and a learner that is given batches.
#include "program.h"

#include <graphed/annotate.h>
#include <graphed/disable.h>
#include <graphed/optim.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace control {

using at::Tensor;

struct Choice {
  Tensor action;
  double value = 0;
  int64_t best = 0;
};

/// A policy and its value, in the memory of the GPU.
struct Controller : torch::nn::Module {
  Controller() {
    body = register_module("body", torch::nn::Linear(6, 16));
    head = register_module("head", torch::nn::Linear(16, 4));
  }

  GRAPHED(observation: f32[1, 6] host, goal: f32[16] host optional; outputs = host)
  Choice choose(const Tensor& observation, const std::optional<Tensor>& goal) {
    Tensor hidden = body(observation).tanh();
    hidden = goal ? hidden + *goal : hidden;
    Choice made;
    made.action = head(hidden);
    made.value = made.action.sum().item<double>();
    made.best = made.action.argmax().item<int64_t>();
    return made;
  }

  torch::nn::Linear body{nullptr}, head{nullptr};
};

/// As a loader gives it: the weights of its rows are made on the device.
struct Batch {
  Tensor x, y;
  std::vector<Tensor> noise;
  Tensor weights;
};

/// Trains on batches of a loader.
struct Learner {
  explicit Learner(c10::Device device) : net(8, 1) {
    net->to(device);
    optimizer.emplace(net->parameters(), graphed::optim::AdamOptions(1e-2));
  }

  GRAPHED(x: f32[16, 8] host, y: f32[16, 1] host; step, outputs = host)
  Tensor learn(const Tensor& x, const Tensor& y) {
    optimizer->zero_grad();
    const Tensor loss = (net(x) - y).pow(2).mean();
    loss.backward();
    optimizer->step();
    return loss.detach();
  }

  GRAPHED(batch: {x: f32[16, 8] host, y: f32[16, 1] host, noise: f32[16, 8] host * 2, weights: f32[16, 1]}; step, outputs = host)
  Tensor learn_weighted(const Batch& batch) {
    optimizer->zero_grad();
    const Tensor x = batch.x + batch.noise[0] * batch.noise[1];
    const Tensor loss = ((net(x) - batch.y).pow(2) * batch.weights).mean();
    loss.backward();
    optimizer->step();
    return loss.detach();
  }

  torch::nn::Linear net;
  std::optional<graphed::optim::Adam> optimizer;
};

}  // namespace control

#include "control_test.graphed.h"

namespace control {

GRAPHED_DEVICE_TEST_SUITE(Control);

constexpr int calls = 16;

TEST_P(Control, ReadsSensorsAndDrivesMotors) {
  Controller controller;
  controller.to(device());
  graphed::callable<&Controller::choose> fast(controller);
  Tensor sensors = torch::empty({1, 6});
  std::deque<std::pair<graphed::future<Choice>, Choice>> in_flight;
  const auto check = [&] {
    const Choice got = in_flight.front().first.get(), expected = in_flight.front().second;
    EXPECT_TRUE(got.action.is_cpu());
    EXPECT_TRUE(torch::equal(got.action, expected.action.cpu()));
    EXPECT_FALSE(got.action.requires_grad());
    EXPECT_EQ(got.value, expected.value);
    EXPECT_EQ(got.best, expected.best);
    in_flight.pop_front();
  };
  for (int call = 0; call < 2 * calls; ++call) {
    sensors.normal_();
    const auto goal = call % 2 == 0 ? std::optional(torch::randn({16})) : std::nullopt;
    const auto on_device = goal ? std::optional(goal->to(device())) : goal;
    in_flight.emplace_back(fast.async(sensors, goal), controller.choose(sensors.to(device()), on_device));
    sensors.fill_(7);
    if (in_flight.size() == 3) {
      check();
    }
  }
  while (!in_flight.empty()) {
    check();
  }
  EXPECT_GT(fast.stats().replays, static_cast<uint64_t>(calls)) << fast.stats();
  EXPECT_EQ(fast.stats().miss_count(), 0U) << fast.stats();
}

TEST_P(Control, LearnsFromBatchesOfTheHost) {
  torch::manual_seed(1);
  Learner one(device());
  torch::manual_seed(1);
  Learner other(device());
  graphed::callable<&Learner::learn> fast(one);
  for (int call = 0; call < calls; ++call) {
    const Tensor x = torch::randn({16, 8}), y = x.sum(1, /*keepdim=*/true);
    const Tensor loss = fast(x, y);
    EXPECT_TRUE(loss.is_cpu());
    EXPECT_TRUE(torch::equal(loss, other.learn(x.to(device()), y.to(device())).cpu())) << call;
  }
  EXPECT_TRUE(torch::equal(one.net->weight, other.net->weight));
  EXPECT_GT(fast.stats().replays, 0U) << fast.stats();
  EXPECT_EQ(fast.stats().miss_count(), 0U) << fast.stats();
}

TEST_P(Control, LearnsFromAnAggregateOfBoth) {
  torch::manual_seed(1);
  Learner one(device());
  torch::manual_seed(1);
  Learner other(device());
  graphed::callable<&Learner::learn_weighted> fast(one);
  for (int call = 0; call < calls; ++call) {
    const Tensor x = torch::randn({16, 8}), y = x.sum(1, /*keepdim=*/true);
    const Batch batch{x, y, {torch::randn({16, 8}), torch::randn({16, 8})}, torch::rand({16, 1}, device())};
    const Batch there{x.to(device()), y.to(device()), {batch.noise[0].to(device()), batch.noise[1].to(device())}, batch.weights};
    const Tensor loss = fast(batch), expected = other.learn_weighted(there).cpu();
    EXPECT_TRUE(loss.is_cpu() && batch.x.is_cpu() && batch.noise[0].is_cpu());
    EXPECT_TRUE(torch::equal(loss, expected)) << call;
  }
  EXPECT_TRUE(torch::equal(one.net->weight, other.net->weight));
  EXPECT_GT(fast.stats().replays, 0U) << fast.stats();
  EXPECT_EQ(fast.stats().miss_count(), 0U) << fast.stats();
  {
    const graphed::DisableGuard eager;  // a call that no graph serves moves a copy
    const Batch batch{
        torch::ones({16, 8}), torch::ones({16, 1}), {torch::ones({16, 8}), torch::ones({16, 8})}, torch::ones({16, 1}, device())};
    fast(batch);
    EXPECT_TRUE(batch.x.is_cpu() && batch.noise[0].is_cpu());
  }
}

}  // namespace control
