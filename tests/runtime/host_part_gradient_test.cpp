// SPDX-License-Identifier: Apache-2.0
//
// Host parts of a training step, which see and use the `.grad` of parameters.
#include "support/step.h"
#include "support/warnings.h"

#include <graphed/host.h>
#include <graphed/optim.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace host_part_gradient_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(HostPartGradient);

constexpr int calls = 8;

void backward(const Tensor& weight, const Tensor& x) { (weight * x).exp().sum().backward(); }

TEST_P(HostPartGradient, ItReadsThoseOfTheCall) {
  for (const bool to_none : {true, false}) {
    SCOPED_TRACE(to_none);
    expect_same([to_none](scenario& run) {
      const Tensor weight = run.leaf({2});
      std::vector<std::string> seen;
      const auto look = [&] {
        const Tensor& gradient = weight.grad();
        seen.push_back(gradient.defined() ? std::to_string(gradient.sum().item<float>()) : "none");
      };
      subject step(
          run, {{"x", {2}}},
          [&](tensor_list& in) {
            to_none ? weight.mutable_grad().reset() : weight.grad().defined() ? void(weight.mutable_grad().zero_()) : void();
            host([&look] { look(); });
            backward(weight, in[0]);
            host([&look] { look(); });
            const c10::NoGradGuard no_grad;
            weight.sub_(weight.grad() * 0.1);
            return tensor_list{weight.detach() * 2};
          },
          of_a_step());
      for (int call = 0; call < calls; ++call) {
        seen.clear();
        run.see("results", step({run.random({2})}));
        run.see("weight", weight);
        run.see("gradient", weight.grad());
        run.see("first look", seen.at(0));
        run.see("second look", seen.at(1));
      }
      step.expect_replays(calls - (to_none ? 2 : 3));
    });
  }
}

TEST_P(HostPartGradient, ItReadsThatOfAnArgument) {
  expect_same([](scenario& run) {
    std::string seen;
    subject step(
        run, {{"x", {2}, at::kFloat, /*grad=*/true}},
        [&](tensor_list& in) {
          in[0].exp().sum().backward();
          host([x = in[0], &seen] { seen = x.grad().defined() ? std::to_string(x.grad().sum().item<float>()) : "none"; });
          const Tensor gradient = in[0].grad();
          in[0].mutable_grad().reset();
          return tensor_list{gradient * 2};
        },
        of_a_step());
    for (int call = 0; call < calls; ++call) {
      run.see("results", step({run.leaf({2})}));
      run.see("seen", seen);
    }
    step.expect_replays(calls - 2);
  });
}

TEST_P(HostPartGradient, AnOptimizerRunsThere) {
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({2});
    torch::optim::Adam optimizer({weight}, torch::optim::AdamOptions(0.1));
    subject step(
        run, {{"x", {2}}},
        [&](tensor_list& in) {
          optimizer.zero_grad();
          backward(weight, in[0]);
          host([&optimizer] { optimizer.step(); });
          return tensor_list{weight.detach() * 2};
        },
        of_a_step());
    for (int call = 0; call < calls; ++call) {
      run.see("results", step({run.random({2})}));
      run.see("weight", weight);
      run.see("gradient", weight.grad());
    }
    step.expect_replays(calls - 2);
  });
}

// The step after it uses that rate.
TEST_P(HostPartGradient, ItSetsTheLearningRate) {
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({2});
    graphed::optim::SGD optimizer({weight}, 0.1);
    int turn = 0;
    subject step(
        run, {{"x", {2}}},
        [&](tensor_list& in) {
          optimizer.zero_grad();
          backward(weight, in[0]);
          host([&] { static_cast<torch::optim::SGDOptions&>(optimizer.param_groups()[0].options()).lr(0.1 / ++turn); });
          optimizer.step();
          return tensor_list{weight.detach() * 2};
        },
        of_a_step());
    for (int call = 0; call < calls; ++call) {
      turn = call;
      run.see("results", step({run.random({2})}));
      run.see("weight", weight);
    }
    step.expect_replays(calls - 2);
  });
}

TEST_P(HostPartGradient, OneThatChangesAFrozenNumberThrows) {
  const Tensor weight = at::ones({2}, at::TensorOptions(device())).requires_grad_();
  graphed::optim::SGD optimizer({weight}, 0.1);
  double decay = 0;
  test_callable step(
      {{"x", {2}}},
      [&](tensor_list& in) {
        optimizer.zero_grad();
        backward(weight, in[0]);
        host([&] { static_cast<torch::optim::SGDOptions&>(optimizer.param_groups()[0].options()).weight_decay(decay); });
        optimizer.step();
        return tensor_list{weight.detach() * 2};
      },
      of_a_step());
  const Tensor x = at::ones({2}, at::TensorOptions(device()));
  for (int call = 0; call < calls; ++call) {
    step({x});
  }
  decay = 0.5;
  try {
    step({x});
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("it changed what the graph has frozen of an optimizer"), std::string::npos) << error.what();
  }
}

// The next replay leaves it as it is.
TEST_P(HostPartGradient, AnExceptionLeavesThem) {
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({2});
    bool throws = false;
    subject step(
        run, {{"x", {2}}},
        [&](tensor_list& in) {
          weight.mutable_grad().reset();
          backward(weight, in[0]);
          host([&throws] {
            if (throws) {
              throw std::runtime_error("stop");
            }
          });
          return tensor_list{in[0] + 1};
        },
        of_a_step());
    Tensor held;
    for (int call = 0; call < calls; ++call) {
      throws = call == 4;
      run.see_error("call", [&] { step({run.random({2})}); });
      run.see("gradient", weight.grad());
      held = throws ? weight.grad() : held;
    }
    run.see("held", held);
  });
}

TEST_P(HostPartGradient, OneThatReplacesThemIsNotCaptured) {
  const std::pair<const char*, std::function<void(const Tensor&)>> cases[] = {
      {"another", [](const Tensor& weight) { weight.mutable_grad() = weight.grad() * 2; }},
      {"none", [](const Tensor& weight) { weight.mutable_grad().reset(); }},
  };
  for (const auto& [name, replace] : cases) {
    SCOPED_TRACE(name);
    const collected_warnings warnings;
    expect_same([&replace = replace](scenario& run) {
      const Tensor weight = run.leaf({2});
      subject step(
          run, {{"x", {2}}},
          [&](tensor_list& in) {
            weight.mutable_grad().reset();
            backward(weight, in[0]);
            host([&] { replace(weight); });
            const c10::NoGradGuard no_grad;
            weight.mul_(0.9);
            return tensor_list{weight.grad().defined() ? weight.grad() * 3 : in[0] * 3};
          },
          of_a_step());
      for (int call = 0; call < calls; ++call) {
        run.see("results", step({run.random({2})}));
        run.see("weight", weight);
      }
      step.expect_replays(0);
    });
    EXPECT_EQ(warnings.count({"a host part gives a tensor of shape [2] another .grad, or none", "the original function runs"}), 1U)
        << warnings.all();
  }
}

// The graph works on copies of these, which the host part would not see.
TEST_P(HostPartGradient, ThoseThatOthersReplaceEndTheCapture) {
  const collected_warnings warnings;
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({2});
    std::string seen;
    subject step(
        run, {{"x", {2}}},
        [&](tensor_list& in) {
          backward(weight, in[0]);
          host([&] { seen = std::to_string(weight.grad().sum().item<float>()); });
          return tensor_list{in[0] * 3};
        },
        of_a_step());
    for (int call = 0; call < calls; ++call) {
      weight.mutable_grad() = run.random({2});
      run.see("results", step({run.random({2})}));
      run.see("gradient", weight.grad());
      run.see("seen", seen);
    }
    step.expect_replays(0);
  });
  EXPECT_EQ(warnings.count({"it has host parts, and the .grad of a tensor of shape [2] is a different tensor on each call"}), 1U)
      << warnings.all();
}

}  // namespace host_part_gradient_test
