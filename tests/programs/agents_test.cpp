// SPDX-License-Identifier: Apache-2.0
//
// Agents: an actor with a memory over rollouts, the updates of A2C and PPO, and AlphaZero's.
#include "program.h"

#include <graphed/annotate.h>
#include <graphed/clip_grad.h>
#include <graphed/optim/adam.h>
#include <graphed/optim/rmsprop.h>
#include <graphed/optim/sgd.h>

#include <cmath>
#include <cstdint>

namespace agents {

using at::Tensor;

constexpr int64_t kEnvironments = 3, kSteps = 5, kSeen = 4, kActions = 2, kMemory = 8, kBatch = 8;

struct Act {
  Tensor value, action, memory;
};

/// The memory of an environment that has ended is masked away.
struct ActorImpl : torch::nn::Module {
  ActorImpl() {
    register_module("cell", cell);
    register_module("policy", policy);
    register_module("value", value);
  }

  GRAPHED(seen: f32[kEnvironments, kSeen], memory: f32[kEnvironments, kMemory], mask: f32[kEnvironments, 1])
  Act act(const Tensor& seen, const Tensor& memory, const Tensor& mask) {
    const torch::NoGradGuard no_grad;
    const Tensor next = cell(seen, memory * mask);
    return {value(next), torch::softmax(policy(next), -1).multinomial(1), next};
  }

  torch::nn::GRUCell cell{kSeen, kMemory};
  torch::nn::Linear policy{kMemory, kActions}, value{kMemory, 1};
};
TORCH_MODULE(Actor);

torch::nn::Sequential layers(int64_t in, int64_t out) {
  return torch::nn::Sequential(torch::nn::Linear(in, kMemory), torch::nn::Tanh(), torch::nn::Linear(kMemory, out));
}

class Learner {
 public:
  explicit Learner(c10::Device device) {
    policy->to(device);
    value->to(device);
  }

  /// Advantage actor-critic: discounted returns from the last step back, then one update.
  GRAPHED(seen: f32[kSteps, kEnvironments, kSeen], actions: i64[kSteps, kEnvironments, 1], rewards: f32[kSteps, kEnvironments, 1],
          masks: f32[kSteps + 1, kEnvironments, 1], last: f32[kEnvironments, 1]; step)
  Tensor learn_a2c(const Tensor& seen, const Tensor& actions, const Tensor& rewards, const Tensor& masks, const Tensor& last) {
    const Tensor returns = torch::zeros_like(rewards);
    Tensor next = last;
    for (int64_t i = kSteps - 1; i >= 0; --i) {
      next = rewards[i] + 0.99 * next * masks[i + 1];
      returns[i].copy_(next);
    }
    const Tensor log_probabilities = torch::log_softmax(policy->forward(seen), -1);
    const Tensor advantages = returns - value->forward(seen);
    const Tensor entropy = -(log_probabilities.exp() * log_probabilities).sum(-1).mean();
    const Tensor chosen = log_probabilities.gather(-1, actions);
    return update(-(advantages.detach() * chosen).mean() + 0.5 * advantages.pow(2).mean() - 0.01 * entropy);
  }

  /// The loss, and how far the policy is from the one that acted.
  GRAPHED(seen: f32[kBatch, kSeen], actions: i64[kBatch, 1], old: f32[kBatch, 1], advantages: f32[kBatch, 1], returns: f32[kBatch, 1]; step)
  std::pair<Tensor, Tensor> learn_ppo(const Tensor& seen, const Tensor& actions, const Tensor& old, const Tensor& advantages,
                                      const Tensor& returns) {
    const auto [loss, divergence] = loss_of_ppo(seen, actions, old, advantages, returns);
    return {update(loss), divergence};
  }

  /// The same in two callables, between which the host decides: the loss, whose backward writes `.grad`, and the optimizer's step.
  GRAPHED(seen: f32[kBatch, kSeen], actions: i64[kBatch, 1], old: f32[kBatch, 1], advantages: f32[kBatch, 1], returns: f32[kBatch, 1];
          grads = in_graph)
  std::pair<Tensor, Tensor> loss_of_ppo(const Tensor& seen, const Tensor& actions, const Tensor& old, const Tensor& advantages,
                                        const Tensor& returns) {
    const Tensor chosen = torch::log_softmax(policy->forward(seen), -1).gather(-1, actions);
    const Tensor ratio = (chosen - old).exp();
    const Tensor surrogate = torch::min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean();
    return {torch::mse_loss(value->forward(seen), returns) - surrogate, (old - chosen).mean().detach()};
  }
  GRAPHED(; step)
  void step() {
    graphed::clip_grad_norm_(parameters(), 0.5);
    optimizer_.step();
  }
  void zero_grad() { optimizer_.zero_grad(); }

  torch::nn::Sequential policy = layers(kSeen, kActions), value = layers(kSeen, 1);

 private:
  std::vector<Tensor> parameters() const {
    std::vector<Tensor> both = policy->parameters();
    for (const Tensor& parameter : value->parameters()) {
      both.push_back(parameter);
    }
    return both;
  }
  Tensor update(const Tensor& loss) {
    zero_grad();
    loss.backward();
    step();
    return loss.detach();
  }

  graphed::optim::RMSprop optimizer_{parameters(), graphed::optim::RMSpropOptions(7e-3).eps(1e-5)};
};

/// Of a game on a board: a policy and a value, learnt from searched games.
struct ZeroImpl : torch::nn::Module {
  ZeroImpl() {
    register_module("body", body);
    register_module("policy", policy);
    register_module("value", value);
  }

  GRAPHED(boards: f32[kBatch, 2, 3, 3], policies: f32[kBatch, 9], winners: f32[kBatch, 1]; step)
  Tensor learn(const Tensor& boards, const Tensor& policies, const Tensor& winners) {
    const Tensor features = body->forward(boards).flatten(1);
    const Tensor policy_loss = -(policies * torch::log_softmax(policy(features), 1)).sum(1).mean();
    const Tensor loss = policy_loss + torch::mse_loss(torch::tanh(value(features)), winners);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    return loss.detach();
  }

  torch::nn::Sequential body{torch::nn::Conv2d(torch::nn::Conv2dOptions(2, 4, 3).padding(1)), torch::nn::BatchNorm2d(4), torch::nn::ReLU()};
  torch::nn::Linear policy{4 * 9, 9}, value{4 * 9, 1};
  graphed::optim::SGD optimizer{all_parameters(), graphed::optim::SGDOptions(0.02).momentum(0.9).weight_decay(1e-4)};

  std::vector<Tensor> all_parameters() {
    std::vector<Tensor> all = body->parameters();
    for (const auto& head : {policy, value}) {
      all.push_back(head->weight);
      all.push_back(head->bias);
    }
    return all;
  }
};
TORCH_MODULE(Zero);

}  // namespace agents

#include "agents_test.graphed.h"

namespace agents {

using programs::program;
using programs::scenario;

GRAPHED_DEVICE_TEST_SUITE(Agents);

Tensor integers(const scenario& run, int64_t end, at::IntArrayRef sizes) { return torch::randint(end, sizes, run.options(torch::kLong)); }

// The rows of a rollout are at addresses of any alignment.
TEST_P(Agents, ActsOnRowsOfARollout) {
  expect_same([](scenario& run) {
    Actor actor;
    actor->to(run.device());
    program<&ActorImpl::act> act(run, *actor);
    const Tensor observations = run.random({kSteps + 1, kEnvironments, kSeen});
    const Tensor masks = (torch::rand({kSteps + 1, kEnvironments, 1}, run.options()) > 0.3).to(torch::kFloat);
    Tensor memory = torch::zeros({kEnvironments, kMemory}, run.options());
    for (int rollout = 0; rollout < 3; ++rollout) {
      for (int64_t i = 0; i < kSteps; ++i) {
        const Act acted = act(observations[i], memory, masks[i]);
        memory = acted.memory;
        run.see("action", acted.action);
        run.see("value", acted.value);
      }
    }
    run.see("memory", memory);
    act.expect(3, 3 * kSteps - 3);
  });
}

TEST_P(Agents, A2cLearns) {
  expect_same([](scenario& run) {
    Learner learner(run.device());
    program<&Learner::learn_a2c> learn(run, learner);
    for (int update = 0; update < 8; ++update) {
      const Tensor masks = torch::ones({kSteps + 1, kEnvironments, 1}, run.options());
      masks[2].zero_();
      run.see("loss", learn(run.random({kSteps, kEnvironments, kSeen}), integers(run, kActions, {kSteps, kEnvironments, 1}),
                            run.random({kSteps, kEnvironments, 1}), masks, run.random({kEnvironments, 1})));
    }
    programs::see_parameters(run, *learner.policy);
    learn.expect(3, 5);
  });
}

/// A minibatch and the policy that acted.
struct Rollout {
  Rollout(const scenario& run, Learner& learner)
      : seen(run.random({kBatch, kSeen})),
        actions(integers(run, kActions, {kBatch, 1})),
        old(torch::log_softmax(learner.policy->forward(seen), -1).gather(-1, actions).detach()),
        advantages(run.random({kBatch, 1})),
        returns(run.random({kBatch, 1})) {}

  Tensor seen, actions, old, advantages, returns;
};

bool is_far(const Tensor& divergence) { return std::abs(divergence.item<float>()) > 0.02F; }

// The host reads a number of the result, and ends the epochs by it.
TEST_P(Agents, PpoStopsEarly) {
  expect_same([](scenario& run) {
    Learner learner(run.device());
    program<&Learner::learn_ppo> learn(run, learner);
    uint64_t updates = 0;
    for (int rollout = 0; rollout < 3; ++rollout) {
      const Rollout of(run, learner);
      for (int epoch = 0; epoch < 10; ++epoch) {
        ++updates;
        const auto [loss, divergence] = learn(of.seen, of.actions, of.old, of.advantages, of.returns);
        run.see("loss", loss);
        if (is_far(divergence)) {
          break;
        }
      }
      run.see("updates", updates);
    }
    EXPECT_GT(updates, 3U);
    EXPECT_LT(updates, 30U);
    programs::see_parameters(run, *learner.policy);
    learn.expect(3, updates - 3);
  });
}

// The same, and the update that would go too far is not made.
TEST_P(Agents, PpoStopsBeforeTheStep) {
  expect_same([](scenario& run) {
    Learner learner(run.device());
    program<&Learner::loss_of_ppo> loss_of(run, learner);
    program<&Learner::step> step(run, learner);
    uint64_t losses = 0, steps = 0;
    for (int rollout = 0; rollout < 4; ++rollout) {
      const Rollout of(run, learner);
      for (int epoch = 0; epoch < 10; ++epoch) {
        learner.zero_grad();
        ++losses;
        const auto [loss, divergence] = loss_of(of.seen, of.actions, of.old, of.advantages, of.returns);
        run.see("loss", loss);
        if (is_far(divergence)) {
          break;
        }
        loss.backward();
        step();
        ++steps;
      }
      run.see("steps", steps);
    }
    EXPECT_GT(steps, 3U);
    EXPECT_LT(steps, losses);
    programs::see_parameters(run, *learner.policy);
    loss_of.expect(3, losses - 3);
    step.expect(3, steps - 3);
  });
}

TEST_P(Agents, AlphaZeroLearns) {
  expect_same([](scenario& run) {
    Zero net;
    net->to(run.device());
    program<&ZeroImpl::learn> learn(run, *net);
    for (int batch = 0; batch < 8; ++batch) {
      run.see("loss", learn(run.random({kBatch, 2, 3, 3}), torch::softmax(run.random({kBatch, 9}), 1),
                            (integers(run, 3, {kBatch, 1}) - 1).to(torch::kFloat)));
    }
    programs::see_parameters(run, *net);
    learn.expect(3, 5);
  });
}

}  // namespace agents
