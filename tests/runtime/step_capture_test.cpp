// SPDX-License-Identifier: Apache-2.0
//
// Captures of training steps: ahead of the first call, those that fail, and what a step may not do.
#include "support/autocast.h"
#include "support/step.h"

#include <graphed/error.h>

namespace step_capture_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

TEST_P(Step, CapturedAheadLeavesNoTrace) {
  expect_same([](scenario& run) {
    trainer model(run);
    subject step(run, batch, [&](tensor_list& in) { return model(in); }, of_a_step(), model.net.get());
    step.prepare({run.random({8, 4}).zero_(), run.random({8, 2}).zero_()});
    model.see(run);
    for (int call = 0; call < 5; ++call) {
      run.see("loss", step({run.random({8, 4}), run.random({8, 2})}));
      model.see(run);
    }
    step.expect_replays(5);
  });
}

TEST_P(Step, CapturedAheadDropsTheGradientsThatAreThere) {
  expect_same([](scenario& run) {
    trainer model(run);
    subject step(run, batch, [&](tensor_list& in) { return model(in); }, of_a_step(), model.net.get());
    step({run.random({8, 4}), run.random({8, 2})});
    model.net->parameters()[0].requires_grad_(false);
    step.prepare({run.random({8, 4}).zero_(), run.random({8, 2}).zero_()});
    for (int call = 0; call < 3; ++call) {
      step({run.random({8, 4}), run.random({8, 2})});
      model.see(run);
    }
    step.expect_replays(3);
  });
}

TEST_P(Step, CapturedAheadForAnotherSizeKeepsGradients) {
  expect_same([](scenario& run) {
    trainer model(run);
    settings two_sizes = of_a_step();
    two_sizes.sizes = {8, 6};
    subject step(run, {{"x", {B, 4}}, {"y", {B, 2}}}, [&](tensor_list& in) { return model(in); }, two_sizes);
    step({run.random({8, 4}), run.random({8, 2})});
    step.prepare({run.random({6, 4}).zero_(), run.random({6, 2}).zero_()});
    model.see(run);
  });
}

// What an attempt without it has left in its `.grad` is not a part of the next one.
TEST_P(Step, ParameterThatTheCaptureIsTheFirstToUse) {
  expect_same([](scenario& run) {
    trainer model(run, zeroing::none_outside);
    const Tensor late = run.leaf({4});
    bool is_used = false;
    subject step(
        run, batch,
        [&](tensor_list& in) {
          const Tensor loss = (model.net->forward(in[0]) - in[1]).square().mean();
          (is_used ? loss + (in[0] * late).square().mean() : loss).backward();
          return tensor_list{loss.detach()};
        },
        of_a_step());
    for (int call = 0; call < 7; ++call) {
      is_used = call >= 2;
      model.optimizer->zero_grad();
      late.mutable_grad().reset();
      run.see("loss", step({run.random({8, 4}), run.random({8, 2})}));
      model.see(run);
      run.see("late.grad", late.grad());
    }
  });
}

TEST_P(Step, FailedCaptureIsOnePlainStep) {
  expect_same([](scenario& run) {
    trainer model(run);
    subject step(
        run, batch,
        [&](tensor_list& in) {
          tensor_list results = model(in);
          if (results[0].item<float>() != results[0].item<float>()) {
            throw std::runtime_error("the loss is no number");
          }
          return results;
        },
        of_a_step(), model.net.get());
    for (int call = 0; call < 7; ++call) {
      run.see("loss", step({run.random({8, 4}), run.random({8, 2})}));
      model.see(run);
    }
    step.expect_captures(0);
  });
  EXPECT_EQ(warnings_.count({"capture failed", "aten::_local_scalar_dense"}), 1U) << warnings_.all();
}

// Nothing is known of what it closes over, when a capture would be due.
TEST_P(Step, FirstStepsThatThrowAreEagersOwn) {
  expect_same([](scenario& run) {
    trainer model(run, zeroing::never);
    bool fails = true;
    subject step(
        run, batch,
        [&](tensor_list& in) {
          const tensor_list results = model(in);
          if (fails) {
            throw std::runtime_error("not yet");
          }
          return results;
        },
        of_a_step(1));
    for (int call = 0; call < 8; ++call) {
      fails = call < 3;
      run.see_error("step", [&] { step({run.random({8, 4}), run.random({8, 2})}); });
      model.see(run);
    }
  });
}

TEST_P(Step, ResultWithAHistoryIsRefused) {
  scenario run(device(), true);
  trainer model(run);
  settings strict = of_a_step();
  strict.strict = true;
  subject step(
      run, batch,
      [&](tensor_list& in) {
        model(in);
        return tensor_list{model.net->forward(in[0])};
      },
      strict, model.net.get());
  const tensor_list arguments{run.random({8, 4}), run.random({8, 2})};
  step(arguments);
  step(arguments);
  EXPECT_TRUE(contains(text_of<CaptureError>([&] { step(arguments); }), "result 0 of a step has a history: return its detach()"));
}

// As an image that moves, or data that a program has marked: the caller's tensor gets the gradient.
void expect_argument_gets_gradient(c10::Device device, bool is_new, bool has_weight, bool is_marked, uint64_t replays) {
  expect_same(device, [&](scenario& run) {
    const Tensor w = run.leaf({4}), kept = run.leaf({4});
    subject step(
        run, {{"x", {4}, at::kFloat, is_marked}},
        [&](tensor_list& in) {
          w.mutable_grad().reset();
          (has_weight ? in[0] * w : in[0].square()).sum().backward();
          (in[0] * 2).sum().backward();
          return tensor_list{};
        },
        of_a_step());
    std::vector<Tensor> held;
    for (int call = 0; call < 12; ++call) {
      const Tensor x = is_new ? run.leaf({4}) : kept;
      const Tensor before = x.grad();
      const auto version = before.defined() ? before._version() : 0;
      step({x});
      run.see("x.grad", x.grad());
      EXPECT_TRUE(!before.defined() || x.grad().is_same(before));
      if (before.defined()) {
        run.see("versions", static_cast<int64_t>(before._version() > version));
      }
      if (call == 9) {
        x.mutable_grad().reset();
      }
      held.push_back(x.grad());
    }
    run.see("held", held);
    run.see("w.grad", w.grad());
    step.expect_replays(replays);
    if (run.graphed()) {
      EXPECT_EQ(step.stats().failed_captures, 0U) << step.stats();
      EXPECT_EQ(step.stats().miss_count(), 0U) << step.stats();
    }
  });
}

TEST_P(Step, NewArgumentsGetGradients) { expect_argument_gets_gradient(device(), true, true, true, 10); }
TEST_P(Step, DataThatRequireGradientsWithoutAMark) { expect_argument_gets_gradient(device(), true, false, false, 10); }
// Its keys are two: one for the calls that find no gradient, which are the first and one behind it.
TEST_P(Step, AnArgumentWhoseGradientAddsUp) { expect_argument_gets_gradient(device(), false, true, true, 8); }

TEST_P(Step, AnArgumentWithAHistoryOrAHookIsPlain) {
  expect_same([](scenario& run) {
    int seen = 0;
    subject step(
        run, {{"x", {4}}},
        [&](tensor_list& in) {
          in[0].square().sum().backward();
          return tensor_list{};
        },
        of_a_step());
    for (int call = 0; call < 6; ++call) {
      const Tensor leaf = run.leaf({4});
      step({leaf * 2});
      run.see("leaf", leaf.grad());
      const Tensor hooked = run.leaf({4});
      hooked.register_hook([&](const Tensor& gradient) {
        ++seen;
        return gradient * 3;
      });
      step({hooked});
      run.see("hooked", hooked.grad());
    }
    run.see("seen", seen);
    step.expect_replays(0);
  });
}

// The casts of the parameters are made again by each step, and its backward has the dtypes of its forward.
TEST_P(Step, UnderAutocastAndWithout) {
  expect_same([](scenario& run) {
    trainer model(run, zeroing::to_none, 0.9);
    subject step(run, batch, [&](tensor_list& in) { return model(in); }, of_a_step(), model.net.get());
    for (int call = 0; call < 16; ++call) {
      std::optional<autocast> casting;
      if (call % 8 < 4) {
        casting.emplace(run.device().type(), at::kBFloat16);
      }
      run.see("loss", step({run.random({8, 4}), run.random({8, 2})}));
      model.see(run);
    }
    step.expect_captures(2);
    step.expect_replays(11);
  });
}

TEST_P(Step, WithoutTheOptionIsRefused) {
  scenario run(device(), true);
  trainer model(run);
  settings strict = of_a_step();
  strict.step = false;
  strict.strict = true;
  subject step(run, batch, [&](tensor_list& in) { return model(in); }, strict, model.net.get());
  const tensor_list arguments{run.random({8, 4}), run.random({8, 2})};
  step(arguments);
  step(arguments);
  EXPECT_TRUE(contains(text_of<CaptureError>([&] { step(arguments); }), "mark the annotation `step`"));
}

}  // namespace step_capture_test
