// SPDX-License-Identifier: Apache-2.0
//
// The updates of learner.h: the same policy, bit for bit, whatever decides when they end.
#include "compare.h"
#include "learner.graphed.h"

#include <torch/cuda.h>

#include <functional>
#include <utility>
#include <vector>

namespace {

using learner::Learner;
using torch::Tensor;

constexpr int rounds = 8, epochs = 6;

struct Rollout {
  explicit Rollout(Learner& learner)
      : obs(torch::randn({64, 8}, learner.stopped.device())),
        action(torch::randint(4, {64, 1}, torch::TensorOptions(torch::kLong).device(learner.stopped.device()))) {
    const torch::NoGradGuard no_grad;
    before = torch::log_softmax(learner.policy->forward(obs), 1).gather(1, action);
  }
  Tensor obs, action, before;
};

using Loss = std::function<std::pair<Tensor, Tensor>(const Tensor&, const Tensor&, const Tensor&)>;

// The host reads how far the policy has moved, between a forward and its backward.
void improve(Learner& learner, const Rollout& rollout, const Loss& loss, const std::function<void()>& update) {
  const auto& [obs, action, before] = rollout;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    learner.optimizer->zero_grad();
    const auto [value, moved] = loss(obs, action, before);
    if (moved.item<float>() > Learner::limit) {
      break;
    }
    value.backward();
    update();
  }
}

// The device decides, and the host does not wait.
void improve(Learner& learner, const Rollout& rollout, const std::function<Tensor(const Tensor&, const Tensor&, const Tensor&)>& learn) {
  const auto& [obs, action, before] = rollout;
  learner.stopped.zero_();
  for (int epoch = 0; epoch < epochs; ++epoch) {
    learn(obs, action, before);
  }
}

// The parameters after each round.
template <class Improve>
std::vector<Tensor> train(Learner& learner, Improve&& improve) {
  std::vector<Tensor> seen;
  for (int round = 0; round < rounds; ++round) {
    improve(Rollout(learner));
    seen.push_back(learner.policy->weight.detach().clone());
    seen.push_back(learner.policy->bias.detach().clone());
  }
  return seen;
}

Learner made(torch::Device device) {
  torch::manual_seed(5);
  return Learner(device);
}

void expect_same_policies(torch::Device device) {
  Learner eager = made(device);
  int steps = 0;
  const auto expected = train(eager, [&](const Rollout& rollout) {
    improve(
        eager, rollout, [&](const Tensor& obs, const Tensor& action, const Tensor& before) { return eager.loss(obs, action, before); },
        [&] {
          eager.update();
          ++steps;
        });
  });
  ASSERT_GT(steps, 3);
  ASSERT_LT(steps, rounds * epochs);

  Learner split = made(device);
  graphed::callable<&Learner::loss> loss(split);
  graphed::callable<&Learner::update> update(split);
  generated_tests::expect_same(
      expected, train(split, [&](const Rollout& rollout) { improve(split, rollout, std::ref(loss), std::ref(update)); }), "round");
  EXPECT_EQ(update.stats().replays, static_cast<uint64_t>(steps) - update.stats().warmups) << update.stats();
  EXPECT_EQ(update.stats().captures, 1U) << update.stats();
  EXPECT_EQ(update.stats().bytes_staged, 0U) << update.stats();  // gradients stay in their place

  Learner whole = made(device);
  graphed::callable<&Learner::learn> learn(whole);
  generated_tests::expect_same(expected, train(whole, [&](const Rollout& rollout) { improve(whole, rollout, std::ref(learn)); }), "round");
  EXPECT_EQ(learn.stats().replays, rounds * epochs - learn.stats().warmups) << learn.stats();
}

TEST(GeneratedLearner, StopsWhereEagerModeDoes) {
  expect_same_policies(torch::kCPU);
  if (torch::cuda::is_available()) {
    expect_same_policies(torch::kCUDA);
  }
}

}  // namespace
