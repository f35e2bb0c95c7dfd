// SPDX-License-Identifier: Apache-2.0
//
// The callables of object_arguments.h through the code that is generated for them, beside the originals, with one object after another.
#include "compare.h"
#include "object_arguments.graphed.h"

#include <optional>

namespace {

using at::Tensor;
using generated_tests::expect_same;
using generated_tests::kCalls;
using objects::Net;
using objects::NetImpl;

/// Calls both, which take `x` and what else is bound, until the graph serves the calls.
template <class Fast, class Graphed, class Plain>
void expect_equal_until_replayed(const Fast& fast, Graphed&& call_graphed, Plain&& call_plain, const char* what) {
  const uint64_t before = fast.stats().replays;
  for (int call = 0; call < kCalls; ++call) {
    const Tensor x = at::randn({4, 3});
    expect_same({call_graphed(x)}, {call_plain(x)}, what);
  }
  EXPECT_GT(fast.stats().replays, before) << what << '\n' << fast.stats();
}

/// The module's modes and tensors are changed one after another.
template <class Fast, class Graphed, class Plain>
void expect_followed(NetImpl& net, const Fast& fast, Graphed&& call_graphed, Plain&& call_plain) {
  const auto expect_equal = [&](const char* what) { expect_equal_until_replayed(fast, call_graphed, call_plain, what); };
  expect_equal("at first");
  net.eval();
  expect_equal("eval");
  net.train();
  expect_equal("train");
  net.to(at::kDouble);
  expect_equal("other type");
  net.weight.set_data(at::full({3}, 5.0));
  expect_equal("other memory");
  net.weight.set_requires_grad(false);
  expect_equal("frozen");
}

TEST(ObjectArguments, ModulesInEveryWay) {
  Net net{2.0};
  namespace here = object_arguments;
  graphed::callable<&here::by_reference> by_reference;
  expect_followed(
      *net, by_reference, [&](const Tensor& x) { return by_reference(*net, x); },
      [&](const Tensor& x) { return here::by_reference(*net, x); });
  net = Net(3.0);
  graphed::callable<&here::by_constant> by_constant;
  expect_followed(
      *net, by_constant, [&](const Tensor& x) { return by_constant(*net, x); },
      [&](const Tensor& x) { return here::by_constant(*net, x); });
  net = Net(4.0);
  graphed::callable<&here::by_holder> by_holder;
  expect_followed(
      *net, by_holder, [&](const Tensor& x) { return by_holder(x, net); }, [&](const Tensor& x) { return here::by_holder(x, net); });
  graphed::callable<&here::by_holder_reference> by_holder_reference;
  expect_followed(
      *net, by_holder_reference, [&](const Tensor& x) { return by_holder_reference(net, x); },
      [&](const Tensor& x) { return here::by_holder_reference(net, x); });
  graphed::callable<&here::by_shared_pointer> by_shared_pointer;
  expect_followed(
      *net, by_shared_pointer, [&](const Tensor& x) { return by_shared_pointer(net.ptr(), x); },
      [&](const Tensor& x) { return here::by_shared_pointer(net.ptr(), x); });
  graphed::callable<&here::by_base> by_base;
  expect_followed(
      *net, by_base, [&](const Tensor& x) { return by_base(*net, x); }, [&](const Tensor& x) { return here::by_base(*net, x); });
  graphed::callable<&here::by_pointer> by_pointer;
  expect_followed(
      *net, by_pointer, [&](const Tensor& x) { return by_pointer(x, net.get()); },
      [&](const Tensor& x) { return here::by_pointer(x, net.get()); });
  expect_equal_until_replayed(
      by_pointer, [&](const Tensor& x) { return by_pointer(x); }, [&](const Tensor& x) { return here::by_pointer(x); }, "null");
}

TEST(ObjectArguments, Containers) {
  torch::nn::Sequential layers(torch::nn::Linear(3, 3), torch::nn::Linear(3, 3));
  torch::nn::AnyModule first(torch::nn::Linear(3, 3));
  const torch::nn::ModuleList rest(torch::nn::Linear(3, 3), torch::nn::Linear(3, 2));
  graphed::callable<&object_arguments::by_containers> fast;
  const auto expect_equal = [&](const char* what) {
    expect_equal_until_replayed(
        fast, [&](const Tensor& x) { return fast(layers, first, rest, x); },
        [&](const Tensor& x) { return object_arguments::by_containers(layers, first, rest, x); }, what);
  };
  expect_equal("at first");
  first = torch::nn::AnyModule(torch::nn::Linear(3, 3));
  expect_equal("another module");
  layers = torch::nn::Sequential(torch::nn::Linear(3, 3));
  expect_equal("other layers");
}

TEST(ObjectArguments, GradientsOfTheModuleAndOfTensors) {
  NetImpl net, plain_net;
  graphed::callable<&object_arguments::with_gradients> fast;
  for (int call = 0; call < kCalls; ++call) {
    const Tensor x = generated_tests::wanting_grad({4, 3}), plain_x = x.detach().clone().requires_grad_();
    fast(net, x).square().sum().backward();
    object_arguments::with_gradients(plain_net, plain_x).square().sum().backward();
    expect_same({x.grad(), net.weight.grad()}, {plain_x.grad(), plain_net.weight.grad()}, "gradient");
  }
  EXPECT_GT(fast.stats().replays, 0U) << fast.stats();
}

TEST(ObjectArguments, TwoNetworksInTurnHaveACaptureEach) {
  NetImpl first(2), second(3);
  graphed::callable<&object_arguments::by_constant> fast;
  for (int call = 0; call < 2 * kCalls; ++call) {
    const NetImpl& net = call % 2 == 0 ? first : second;
    const Tensor x = at::randn({4, 3});
    expect_same({fast(net, x)}, {net.forward(x)}, "in turn");
  }
  EXPECT_EQ(fast.stats().captures, 2U) << fast.stats();
  EXPECT_EQ(fast.stats().replays, 2U * (kCalls - 3)) << fast.stats();
  EXPECT_EQ(fast.stats().miss_count(), 0U) << fast.stats();
}

/// One training run, on networks and an optimizer of its own.
struct TrainingRun {
  TrainingRun() : optimizer(student->parameters(), graphed::optim::SGDOptions(0.1).momentum(0.9)) {
    const at::NoGradGuard no_grad;
    for (const Tensor& parameter : {student->weight, student->bias, teacher->weight, teacher->bias}) {
      parameter.fill_(0.5);
    }
  }
  graphed::tensor_list state() const { return {student->weight.detach(), student->bias.detach(), student->weight.grad()}; }

  torch::nn::Linear student{3, 2}, teacher{3, 2};
  graphed::optim::SGD optimizer;
};

TEST(ObjectArguments, TrainingStepsOfOneRunAfterAnother) {
  graphed::callable<&object_arguments::train> fast;
  for (const double rate : {0.1, 0.05}) {
    TrainingRun trained, plain;
    for (int call = 0; call < kCalls; ++call) {
      for (TrainingRun* each : {&trained, &plain}) {
        each->optimizer.param_groups()[0].options().set_lr(rate / (call + 1));
      }
      const Tensor x = at::randn({4, 3}), y = at::randn({4, 2});
      expect_same({fast(trained.student, trained.teacher, trained.optimizer, x, y)},
                  {object_arguments::train(plain.student, plain.teacher, plain.optimizer, x, y)}, "loss");
      expect_same(trained.state(), plain.state(), "state");
    }
  }
  EXPECT_EQ(fast.stats().captures, 2U) << fast.stats();
  EXPECT_EQ(fast.stats().replays, 2U * (kCalls - 2)) << fast.stats();
}

TEST(ObjectArguments, TwoRunsInTurnTrainEachItsOwn) {
  graphed::callable<&object_arguments::train> fast;
  TrainingRun trained[2], plain[2];
  for (int call = 0; call < 2 * kCalls; ++call) {
    TrainingRun &mine = trained[call % 2], &other = plain[call % 2];
    const Tensor x = at::randn({4, 3}), y = at::randn({4, 2});
    expect_same({fast(mine.student, mine.teacher, mine.optimizer, x, y)},
                {object_arguments::train(other.student, other.teacher, other.optimizer, x, y)}, "loss");
    expect_same(mine.state(), other.state(), "state");
  }
  EXPECT_EQ(fast.stats().captures, 2U) << fast.stats();
}

TEST(ObjectArguments, AnOptimizerByItsBase) {
  NetImpl net, plain_net;
  graphed::optim::SGD optimizer({net.weight}, graphed::optim::SGDOptions(0.1));
  graphed::optim::SGD plain({plain_net.weight}, graphed::optim::SGDOptions(0.1));
  graphed::callable<&object_arguments::train_with_any> fast;
  for (int call = 0; call < kCalls; ++call) {
    const Tensor x = at::randn({4, 3});
    expect_same({fast(net, optimizer, x), net.weight.detach()},
                {object_arguments::train_with_any(plain_net, plain, x), plain_net.weight.detach()}, "step");
  }
  EXPECT_GT(fast.stats().replays, 0U) << fast.stats();
}

TEST(ObjectArguments, NumbersOfAnObjectSelectACapture) {
  object_arguments::Settings settings;
  graphed::callable<&object_arguments::with_settings> fast;
  const auto expect_equal = [&](const char* what) {
    expect_equal_until_replayed(
        fast, [&](const Tensor& x) { return fast(settings, x); },
        [&](const Tensor& x) { return object_arguments::with_settings(settings, x); }, what);
  };
  expect_equal("at first");
  settings.scale = 3;
  expect_equal("another scale");
  settings.is_negative = true;
  expect_equal("another sign");
  EXPECT_EQ(fast.stats().captures, 3U) << fast.stats();
  ++settings.unread;
  fast(settings, at::ones({4, 3}));
  EXPECT_EQ(fast.stats().captures, 3U) << fast.stats();
  EXPECT_NE(fast.explain().find("settings.scale = 3"), std::string::npos) << fast.explain();
}

TEST(ObjectArguments, WhatAClassHidesIsFollowed) {
  object_arguments::Agent agent(2);
  graphed::callable<&object_arguments::act> fast;
  const auto call_graphed = [&](const Tensor& x) { return fast(agent, x); };
  const auto call_plain = [&](const Tensor& x) { return object_arguments::act(agent, x); };
  expect_followed(agent.net(), fast, call_graphed, call_plain);
  agent.settings().scale = 3;
  expect_equal_until_replayed(fast, call_graphed, call_plain, "another number");
  agent.bias() = at::ones({3});
  expect_equal_until_replayed(fast, call_graphed, call_plain, "another tensor");
}

TEST(ObjectArguments, OfAMethod) {
  object_arguments::Agent agent(2), other(3);
  object_arguments::Critic critic;
  graphed::callable<&object_arguments::Critic::judge> fast(critic);
  for (const object_arguments::Agent* each : {&agent, &other}) {
    expect_equal_until_replayed(
        fast, [&](const Tensor& x) { return fast(*each, x); }, [&](const Tensor& x) { return critic.judge(*each, x); }, "actor");
  }
  critic.weight = 5;
  expect_equal_until_replayed(
      fast, [&](const Tensor& x) { return fast(agent, x); }, [&](const Tensor& x) { return critic.judge(agent, x); }, "weight");
}

TEST(ObjectArguments, CapturesOfObjectsThatAreGoneAreDropped) {
  graphed::callable<&object_arguments::act_of> fast;
  int64_t bytes = 0;
  for (int made = 0; made < 5; ++made) {
    const auto agent = std::make_shared<object_arguments::Agent>(made);
    expect_equal_until_replayed(
        fast, [&](const Tensor& x) { return fast(agent, x); }, [&](const Tensor& x) { return object_arguments::act_of(agent, x); }, "one");
    bytes = made == 0 ? static_cast<int64_t>(fast.stats().bytes_held) : bytes;
    EXPECT_LE(static_cast<int64_t>(fast.stats().bytes_held), bytes) << made << '\n' << fast.stats();
  }
  EXPECT_EQ(fast.stats().captures, 5U) << fast.stats();
}

/// The memory of one network after another.
TEST(ObjectArguments, AnotherModuleAtTheSameAddressIsAnother) {
  graphed::callable<&object_arguments::by_constant> fast;
  std::optional<NetImpl> net;
  for (const double value : {2.0, 3.0, 4.0}) {
    net.emplace(value);
    for (int call = 0; call < kCalls; ++call) {
      const Tensor x = at::randn({4, 3});
      expect_same({fast(*net, x)}, {net->forward(x)}, "at the same address");
    }
  }
  EXPECT_GT(fast.stats().replays, 0U) << fast.stats();
}

TEST(ObjectArguments, WhatTheCallableWritesIntoOneIsNoKey) {
  object_arguments::Logger logger;
  NetImpl net;
  graphed::callable<&object_arguments::logged> fast;
  expect_equal_until_replayed(
      fast, [&](const Tensor& x) { return fast(&logger, net, x); }, [&](const Tensor& x) { return net.forward(x); }, "counted");
  EXPECT_EQ(fast.stats().captures, 1U) << fast.stats();
  expect_equal_until_replayed(
      fast, [&](const Tensor& x) { return fast(nullptr, net, x); }, [&](const Tensor& x) { return net.forward(x); }, "not counted");
}

TEST(ObjectArguments, PreparedAndPadded) {
  NetImpl net(2);
  graphed::callable<&object_arguments::of_batch> fast;
  fast.prepare(net, {at::randn({4, 3}), 2}, 0.5);
  EXPECT_EQ(fast.stats().captures, 2U) << fast.stats();  // of each size
  for (const int64_t rows : {4, 3, 8, 5}) {
    const object_arguments::Batch batch{at::randn({rows, 3}), 2};
    for (int call = 0; call < 2; ++call) {
      expect_same({fast(net, batch, 1.5)}, {object_arguments::of_batch(net, batch, 1.5)}, "rows");
    }
  }
  EXPECT_EQ(fast.stats().captures, 2U) << fast.stats();
  EXPECT_GE(fast.stats().replays, 6U) << fast.stats();
}

}  // namespace
