// SPDX-License-Identifier: Apache-2.0
//
// The optimizer's step as a callable of its own, which reads what a graphed or an eager backward has left in `.grad`.
#include "support/step.h"

#include <graphed/clip_grad.h>
#include <graphed/optim/adam.h>

#include <graphed/error.h>

namespace optimizer_step_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

/// Where `.grad` is dropped.
enum class dropped { before_the_forward, in_the_step };

/// Which of the two callables are graphed, and how.
struct split_settings {
  bool is_loss_graphed = true;
  bool in_graph = false;
  bool clips = false;
  dropped where = dropped::before_the_forward;
};

/// A network with a loss and the step of its optimizer, apart.
struct split {
  split(const scenario& run, split_settings how) : how(how), net(torch::nn::Linear(4, 6), torch::nn::Tanh(), torch::nn::Linear(6, 2)) {
    net->to(run.device());
    optimizer.emplace(net->parameters(), optim::AdamOptions(0.01));
    settings of_loss;
    of_loss.grads_in_graph = how.in_graph;
    loss.emplace(
        run, batch, [this](tensor_list& in) { return tensor_list{(net->forward(in[0]) - in[1]).square().mean()}; }, of_loss, net.get());
    step.emplace(run, std::vector<argument>{}, [this](tensor_list&) { return update(); }, of_a_step(), net.get());
  }
  tensor_list update() {
    const tensor_list norm = how.clips ? tensor_list{clip_grad_norm_(net->parameters(), 0.1)} : tensor_list{};
    optimizer->step();
    if (how.where == dropped::in_the_step) {
      optimizer->zero_grad();
    }
    return norm;
  }
  /// A forward, a backward and a step.
  void train(scenario& run, bool is_plain = false) {
    if (how.where == dropped::before_the_forward) {
      optimizer->zero_grad();
    }
    const tensor_list given{run.random({8, 4}), run.random({8, 2})};
    const bool is_graphed = how.is_loss_graphed && !is_plain;
    const Tensor value = is_graphed ? (*loss)(given)[0] : (net->forward(given[0]) - given[1]).square().mean();
    run.see("loss", value);
    value.backward();
    run.see("norm", (*step)({}));
    for (const auto& parameter : net->parameters()) {
      run.see("parameter", parameter);
      run.see(".grad", parameter.grad());
    }
  }

  const split_settings how;
  torch::nn::Sequential net;
  std::optional<optim::Adam> optimizer;
  std::optional<subject> loss, step;
};

void expect_captured_once(c10::Device device, split_settings how, bool is_copied) {
  expect_same(device, [&](scenario& run) {
    split model(run, how);
    for (int call = 0; call < 8; ++call) {
      model.train(run);
    }
    model.step->expect_replays(6);
    if (run.graphed() && model.loss->stats().verified == 0) {  // gradients of verified calls are given after the graph
      EXPECT_EQ(model.step->captures(), 1U);
      EXPECT_EQ(model.step->stats().bytes_staged != 0, is_copied) << model.step->stats();
    }
  });
}

TEST_P(Step, OfTheOptimizerAlone) { expect_captured_once(device(), {}, true); }
TEST_P(Step, OfTheOptimizerAfterAPlainBackward) { expect_captured_once(device(), {/*is_loss_graphed=*/false}, true); }
TEST_P(Step, OfTheOptimizerThatDropsGradients) {
  split_settings how;
  how.where = dropped::in_the_step;
  expect_captured_once(device(), how, true);
}
TEST_P(Step, OfTheOptimizerThatClips) {
  split_settings how;
  how.clips = true;
  expect_captured_once(device(), how, true);
}

TEST_P(Step, OfTheOptimizerOnGradientsInTheirPlace) {
  for (const bool clips : {false, true}) {
    for (const dropped where : {dropped::before_the_forward, dropped::in_the_step}) {
      expect_captured_once(device(), {/*is_loss_graphed=*/true, /*in_graph=*/true, clips, where}, false);
    }
  }
}

// As those of a batch that matches no capture: from then on they are copied.
TEST_P(Step, OfTheOptimizerOnGradientsThatAreElsewhereNowAndThen) {
  expect_same([](scenario& run) {
    split model(run, {/*is_loss_graphed=*/true, /*in_graph=*/true});
    for (int call = 0; call < 14; ++call) {
      model.train(run, /*is_plain=*/call % 4 == 3);
    }
    if (run.graphed() && model.loss->stats().verified == 0) {
      EXPECT_EQ(model.step->captures(), 2U);
    }
    model.step->expect_replays(12);
  });
}

// What stops early has seen the loss of a batch before its step.
TEST_P(Step, OfTheOptimizerThatIsLeftOut) {
  expect_same([](scenario& run) {
    split model(run, {});
    int taken = 0;
    for (int call = 0; call < 12; ++call) {
      model.optimizer->zero_grad();
      const Tensor value = (*model.loss)({run.random({8, 4}), run.random({8, 2})})[0];
      value.backward();
      if (value.item<float>() < 2) {
        ++taken;
        (*model.step)({});
      }
      run.see("parameters", model.net->parameters());
    }
    run.see("steps", taken);
    model.step->expect_replays(static_cast<uint64_t>(taken) - 2);
  });
}

TEST_P(Step, OfTheOptimizerAloneOnGradientsThatAreSetToZero) {
  expect_same([](scenario& run) {
    split model(run, {});
    for (int call = 0; call < 6; ++call) {
      model.optimizer->zero_grad(/*set_to_none=*/false);
      (*model.loss)({run.random({8, 4}), run.random({8, 2})})[0].backward();
      (*model.step)({});
      run.see("parameters", model.net->parameters());
    }
    model.step->expect_captures(1);
  });
}

// As those of a recurrent network on a GPU: a copy of one would not be seen by the others.
TEST_P(Step, OfTheOptimizerOnViewsOfOneBuffer) {
  expect_same([](scenario& run) {
    const Tensor v = run.leaf({4}), w = run.leaf({4});
    optim::Adam optimizer({v, w}, optim::AdamOptions(0.01));
    subject step(
        run, {},
        [&](tensor_list&) {
          optimizer.step();
          return tensor_list{};
        },
        of_a_step());
    for (int call = 0; call < 6; ++call) {
      const Tensor buffer = run.random({8});
      v.mutable_grad() = buffer.narrow(0, 0, 4);
      w.mutable_grad() = buffer.narrow(0, 4, 4);
      step({});
      run.see("parameters", tensor_list{v, w});
    }
    step.expect_captures(0);
  });
  EXPECT_EQ(warnings_.count({"the capture failed", "the .grad of a tensor of shape [4]", "zero_grad()", "grads = in_graph"}), 1U)
      << warnings_.all();
}

// Of an optimizer that nothing has reported.
TEST_P(Step, OfTheOptimizerOfAFunction) {
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({4});
    optim::Adam optimizer({weight}, optim::AdamOptions(0.01));
    subject step(
        run, {},
        [&](tensor_list&) {
          optimizer.step();
          return tensor_list{};
        },
        of_a_step());
    for (int call = 0; call < 6; ++call) {
      optimizer.zero_grad();
      (run.random({4}) * weight).sum().backward();
      step({});
      run.see("weight", weight);
    }
    step.expect_replays(4);
  });
}

TEST_P(Step, IsWhatReadsAGradientThatIsReplaced) {
  scenario run(device(), true);
  const Tensor weight = run.leaf({4});
  subject norm(run, {{"x", {4}}}, [&](tensor_list& in) { return tensor_list{weight.grad().norm() + in[0]}; });
  for (int call = 0; call < 6; ++call) {
    weight.mutable_grad().reset();
    (run.random({4}) * weight).sum().backward();
    EXPECT_NO_THROW(norm({run.random({4})}));
  }
  norm.expect_captures(0);
  EXPECT_EQ(warnings_.count({"from outside, and took a different one", ".grad", "zero_grad()", "`step`"}), 1U) << warnings_.all();
}

}  // namespace optimizer_step_test
