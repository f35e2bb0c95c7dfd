// SPDX-License-Identifier: Apache-2.0
//
// Steps that add to gradients which others replace between their calls: two networks that are trained against each other.
#include "support/step.h"

#include <graphed/optim/sgd.h>

namespace adversary_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

const std::vector<argument> noise{{"z", {8, 4}}};

/// A generator and a discriminator. The generator's step goes back through the discriminator, whose gradients it does not drop.
struct adversaries {
  explicit adversaries(const scenario& run)
      : maker(torch::nn::Linear(4, 6), torch::nn::Tanh(), torch::nn::Linear(6, 4)),
        judge(torch::nn::Linear(4, 6), torch::nn::Tanh(), torch::nn::Linear(6, 1)) {
    maker->to(run.device());
    judge->to(run.device());
    of_maker.emplace(maker->parameters(), torch::optim::SGDOptions(0.1));
    of_judge.emplace(judge->parameters(), torch::optim::SGDOptions(0.1));
  }
  tensor_list train_maker(tensor_list& in) {
    of_maker->zero_grad();
    const Tensor loss = (judge->forward(maker->forward(in[0])) - 1).square().mean();
    loss.backward();
    of_maker->step();
    return {loss.detach()};
  }
  tensor_list train_judge(tensor_list& in) {
    of_judge->zero_grad();
    const Tensor loss = (judge->forward(in[1]) - 1).square().mean() + judge->forward(maker->forward(in[0]).detach()).square().mean();
    loss.backward();
    of_judge->step();
    return {loss.detach()};
  }
  void see(scenario& run) const {
    for (const auto* net : {&maker, &judge}) {
      for (const auto& parameter : (*net)->parameters()) {
        run.see("parameter", parameter);
        run.see(".grad", parameter.grad());
      }
    }
  }

  torch::nn::Sequential maker, judge;
  std::optional<torch::optim::SGD> of_maker, of_judge;
};

void expect_trained_in_turn(c10::Device device, bool is_judge_graphed) {
  expect_same(device, [&](scenario& run) {
    adversaries nets(run);
    subject maker(run, noise, [&](tensor_list& in) { return nets.train_maker(in); }, of_a_step());
    subject judge(run, {{"z", {8, 4}}, {"x", {8, 4}}}, [&](tensor_list& in) { return nets.train_judge(in); }, of_a_step());
    for (int round = 0; round < 10; ++round) {
      run.see("loss", maker({run.random({8, 4})}));
      nets.see(run);
      tensor_list given{run.random({8, 4}), run.random({8, 4})};
      run.see("loss", is_judge_graphed ? judge(given) : nets.train_judge(given));
      nets.see(run);
    }
    maker.expect_captures(1);
    maker.expect_replays(7);  // its first step finds no gradients of the discriminator
    judge.expect_replays(is_judge_graphed ? 8 : 0);
  });
}

TEST_P(Step, AdversariesInTurn) { expect_trained_in_turn(device(), true); }
TEST_P(Step, AgainstAnEagerAdversary) { expect_trained_in_turn(device(), false); }

/// A step that adds to the gradients of a layer, and what its caller does in between.
void expect_added_to(
    c10::Device device, uint64_t replays, const std::function<void(scenario&, int, torch::nn::Linear&)>& between,
    const std::function<void(torch::nn::Linear&)>& first = [](torch::nn::Linear&) {}) {
  expect_same(device, [&](scenario& run) {
    torch::nn::Linear net(4, 2);
    net->to(run.device());
    subject step(
        run, {{"x", {8, 4}}},
        [&](tensor_list& in) {
          first(net);
          const Tensor loss = net->forward(in[0]).square().mean();
          loss.backward();
          return tensor_list{loss.detach()};
        },
        of_a_step());
    for (int call = 0; call < 10; ++call) {
      net->weight.mutable_grad() = run.random({2, 4});
      net->bias.mutable_grad() = run.random({2});
      between(run, call, net);
      const Tensor held = net->weight.grad();
      run.see("results", step({run.random({8, 4})}));
      run.see("weight.grad", net->weight.grad());
      run.see("bias.grad", net->bias.grad());
      run.see("held", held);
      run.see("is held", held.is_same(net->weight.grad()));
    }
    step.expect_replays(replays);
  });
}

TEST_P(Step, GradientsThatAreReplacedBeforeEachCall) {
  expect_added_to(device(), 8, [](scenario&, int, torch::nn::Linear&) {});
}

TEST_P(Step, ReplacedGradientsThatItSetsToZero) {
  expect_added_to(
      device(), 8, [](scenario&, int, torch::nn::Linear&) {},
      [](torch::nn::Linear& net) {
        net->weight.mutable_grad().zero_();
        net->bias.mutable_grad().zero_();
      });
}

TEST_P(Step, ReplacedGradientsThatAreSometimesNone) {
  expect_added_to(device(), 8, [](scenario&, int call, torch::nn::Linear& net) {
    if (call % 5 == 4) {
      net->weight.mutable_grad().reset();
    }
  });
}

TEST_P(Step, ReplacedGradientsOfOtherStrides) {
  expect_added_to(device(), 8, [](scenario& run, int call, torch::nn::Linear& net) {
    if (call % 5 == 4) {
      net->weight.mutable_grad() = run.random({4, 2}).t();
    }
  });
}

/// A step that adds to a gradient which its caller replaces, and gives as the argument in some calls.
void expect_added_to_argument(c10::Device device, const std::function<bool(int)>& is_given, const std::function<void(subject&)>& check) {
  expect_same(device, [&](scenario& run) {
    const Tensor w = run.leaf({4});
    subject step(
        run, {{"x", {4}}},
        [&](tensor_list& in) {
          (in[0] * w).sum().backward();
          return tensor_list{in[0] * 2};
        },
        of_a_step());
    for (int call = 0; call < 8; ++call) {
      w.mutable_grad() = run.random({4});
      run.see("result", step({is_given(call) ? w.grad() : run.random({4})}));
      run.see("w.grad", w.grad());
    }
    check(step);
  });
}

TEST_P(Step, ReplacedGradientThatIsAnArgumentToo) {
  expect_added_to_argument(
      device(), [](int call) { return call % 4 == 3; },
      [](subject& step) {
        step.expect_misses(Miss::Overlap, 2);
        step.expect_replays(4);
      });
}

TEST_P(Step, ReplacedGradientThatIsAnArgumentOfTheCallThatCaptures) {
  expect_added_to_argument(device(), [](int call) { return call < 4; }, [](subject&) {});
}

TEST_P(Step, ReplacedGradientsThatAreViewsOfOneBuffer) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({4}), v = run.leaf({2}), flat = run.random({6});
    subject step(
        run, {{"x", {4}}},
        [&](tensor_list& in) {
          flat.zero_();
          ((in[0] * w).sum() + v.square().sum()).backward();
          return tensor_list{flat.norm()};
        },
        of_a_step());
    for (int call = 0; call < 8; ++call) {
      w.mutable_grad() = flat.narrow(0, 0, 4);
      v.mutable_grad() = flat.narrow(0, 4, 2);
      run.see("norm", step({run.random({4})}));
      run.see("flat", flat);
    }
  });
}

TEST_P(Step, ReplacedGradientOfTwoLeaves) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({4}), v = run.leaf({4});
    subject step(
        run, {{"x", {4}}},
        [&](tensor_list& in) {
          ((in[0] * w).sum() + v.square().sum()).backward();
          return tensor_list{in[0] * 2};
        },
        of_a_step());
    for (int call = 0; call < 8; ++call) {
      w.mutable_grad() = run.random({4});
      v.mutable_grad() = w.grad();
      run.see("result", step({run.random({4})}));
      run.see("gradient", w.grad());
      run.see("is held by both", w.grad().is_same(v.grad()));
    }
  });
}

/// A step that adds to the gradients of two leaves and reads a buffer. From the fifth call on, now and then `share` lets a gradient show
/// memory of something else that the step uses, which none did when it was captured.
void expect_own_memory(c10::Device device, const std::function<void(Tensor& w, Tensor& v, Tensor& buffer)>& share) {
  expect_same(device, [&](scenario& run) {
    Tensor w = run.leaf({4}), v = run.leaf({4}), buffer = run.random({4});
    subject step(
        run, {{"x", {4}}},
        [&](tensor_list& in) {
          const Tensor before = buffer * 2;
          ((in[0] * w).sum() + (v * before).sum()).backward();
          return tensor_list{before + buffer};
        },
        of_a_step());
    for (int call = 0; call < 12; ++call) {
      w.mutable_grad() = run.random({4});
      v.mutable_grad() = run.random({4});
      if (call > 3 && call % 3 == 0) {
        share(w, v, buffer);
      }
      run.see("result", step({run.random({4})}));
      run.see("buffer", buffer);
      run.see("w.grad", w.grad());
      run.see("v.grad", v.grad());
      w.mutable_grad().reset();
      v.mutable_grad().reset();
    }
    step.expect_misses(Miss::Overlap, 2);
    step.expect_replays(8);
  });
}

TEST_P(Step, ReplacedGradientThatComesToShowABuffer) {
  expect_own_memory(device(), [](Tensor& w, Tensor&, Tensor& buffer) { w.mutable_grad() = buffer; });
}

TEST_P(Step, ReplacedGradientThatComesToShowAnotherLeaf) {
  expect_own_memory(device(), [](Tensor& w, Tensor& v, Tensor&) { w.mutable_grad() = v.detach(); });
}

TEST_P(Step, ReplacedGradientThatComesToShowItsOwnLeaf) {
  expect_own_memory(device(), [](Tensor& w, Tensor&, Tensor&) { w.mutable_grad() = w.detach(); });
}

TEST_P(Step, ReplacedGradientThatComesToBeOfTwoLeaves) {
  expect_own_memory(device(), [](Tensor& w, Tensor& v, Tensor&) { w.mutable_grad() = v.grad(); });
}

TEST_P(Step, ReplacedGradientThatIsABufferFromTheWarmUpOfAnotherCaptureOn) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({4}), v = run.leaf({4}), buffer = run.random({4});
    optim::SGD of_v({v}, 0.1);
    subject step(
        run, {{"x", {4}}},
        [&](tensor_list& in) {
          of_v.zero_grad();
          const Tensor before = buffer * 2;
          (in[0] * w * v).sum().backward();
          of_v.step();
          return tensor_list{before + buffer};
        },
        of_a_step());
    for (int call = 0; call < 12; ++call) {
      w.mutable_grad() = call < 6 ? run.random({4}) : buffer;
      if (call == 6) {
        dynamic_cast<optim::SGDOptions&>(of_v.param_groups()[0].options()).weight_decay(0.1);
      }
      run.see("result", step({run.random({4})}));
      run.see("buffer", buffer);
      run.see("v", v);
    }
  });
}

TEST_P(Step, ReplacedGradientThatShowsOneThatWasReplacedBefore) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({4}), v = run.leaf({4});
    v.mutable_grad() = run.random({4});
    subject step(
        run, {{"x", {4}}},
        [&](tensor_list& in) {
          ((in[0] * w).sum() + v.square().sum()).backward();
          return tensor_list{in[0] * 2};
        },
        of_a_step());
    for (int call = 0; call < 12; ++call) {
      w.mutable_grad() = run.random({4});
      if (call >= 6) {
        v.mutable_grad() = w.grad().detach();
      }
      run.see("result", step({run.random({4})}));
      run.see("w.grad", w.grad());
      run.see("v.grad", v.grad());
    }
  });
}

TEST_P(Step, ReplacedGradientThatIsAResult) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({4});
    subject step(
        run, {{"x", {4}}},
        [&](tensor_list& in) {
          (in[0] * w).sum().backward();
          return tensor_list{w.grad()};
        },
        of_a_step());
    for (int call = 0; call < 6; ++call) {
      w.mutable_grad() = run.random({4});
      const Tensor result = step({run.random({4})})[0];
      run.see("is .grad", result.is_same(w.grad()));
      run.see("result", result);
    }
    step.expect_captures(0);
  });
}

}  // namespace adversary_test
