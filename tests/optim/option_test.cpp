// SPDX-License-Identifier: Apache-2.0
//
// Options that change after a capture, and parameter groups that are added.
#include "support/device_test.h"
#include "support/trainer.h"

#include <torch/optim/schedulers/step_lr.h>

namespace option_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Option);

const std::vector<std::string> optimizers = {"sgd SGD lr=0.1 momentum=0.9 weight_decay=0.01", "adam Adam lr=0.01 weight_decay=0.01",
                                             "adamw AdamW lr=0.01", "adagrad Adagrad lr=0.05 weight_decay=0.01",
                                             "rmsprop RMSprop lr=0.01 momentum=0.5 weight_decay=0.01"};

/// A step of `trained` as a callable.
subject step_of(const scenario& run, trainer& trained, settings settings = {}) {
  return subject(run, {{"gradients", {elements}}}, [&trained](tensor_list& in) { return tensor_list{trained.step(in[0])}; }, settings);
}

void set_second_number(torch::optim::OptimizerOptions& options, double value) {
  if (auto* sgd = dynamic_cast<torch::optim::SGDOptions*>(&options)) {
    sgd->momentum(value);
  } else if (auto* adam = dynamic_cast<torch::optim::AdamOptions*>(&options)) {
    adam->betas({value, 0.999});
  } else if (auto* adamw = dynamic_cast<torch::optim::AdamWOptions*>(&options)) {
    adamw->betas({value, 0.99});
  } else if (auto* adagrad = dynamic_cast<torch::optim::AdagradOptions*>(&options)) {
    adagrad->lr_decay(1 - value);
  } else {
    dynamic_cast<torch::optim::RMSpropOptions&>(options).alpha(value);
  }
}

void set_weight_decay(torch::optim::OptimizerOptions& options, double value) {
  if (auto* sgd = dynamic_cast<torch::optim::SGDOptions*>(&options)) {
    sgd->weight_decay(value);
  } else if (auto* adam = dynamic_cast<torch::optim::AdamOptions*>(&options)) {
    adam->weight_decay(value);
  } else if (auto* adamw = dynamic_cast<torch::optim::AdamWOptions*>(&options)) {
    adamw->weight_decay(value);
  } else if (auto* adagrad = dynamic_cast<torch::optim::AdagradOptions*>(&options)) {
    adagrad->weight_decay(value);
  } else {
    dynamic_cast<torch::optim::RMSpropOptions&>(options).weight_decay(value);
  }
}

TEST_P(Option, ALearningRateThatAnybodyChangesEachStepIsUsedByEachReplay) {
  for (const auto& line : optimizers) {
    expect_same([&](scenario& run) {
      trainer trained(parse_case(line), at::randn({elements}), run.device());
      torch::optim::StepLR scheduler(trained.optimizer(), 1, 0.9);
      auto step = step_of(run, trained);
      for (int i = 0; i < 12; ++i) {
        step({run.random({elements})});
        run.see("parameters", trained.parameters());
        if (i % 2 == 0) {
          scheduler.step();
        } else {
          trained.optimizer().param_groups()[1].options().set_lr(0.01 * i);
        }
      }
      step.expect_captures(1);
      step.expect_replays(10);
    });
  }
}

TEST_P(Option, AGroupThatWasLiveInBetweenHasTheLearningRateOfNow) {
  expect_same([](scenario& run) {
    trainer trained(parse_case("sgd SGD lr=0.1 momentum=0.9"), at::randn({elements}), run.device());
    const auto set = [&](bool live, double rate) {
      for (auto& group : trained.optimizer().param_groups()) {
        dynamic_cast<optim::SGDOptions&>(group.options()).live(live).set_lr(rate);
      }
    };
    auto step = step_of(run, trained);
    for (int i = 0; i < 4; ++i) {
      step({run.random({elements})});
    }
    set(true, 0.1);
    trained.step(run.random({elements}));
    set(false, 0.5);
    step({run.random({elements})});
    run.see("parameters", trained.parameters());
  });
}

TEST_P(Option, TheLearningRateReachesTheParameters) {
  trainer trained(parse_case("sgd SGD lr=1"), at::zeros({elements}), device());
  const scenario run(device(), true);
  auto step = step_of(run, trained);
  double sum = 0;
  for (int i = 0; i < 6; ++i) {
    trained.set_rates(i + 1);
    sum += i + 1;
    step({at::ones({elements}, run.options())});
    EXPECT_EQ(trained.parameters()[0].item<float>(), -sum);
    EXPECT_EQ(trained.parameters()[elements - 1].item<float>(), -2 * sum);
  }
  step.expect_replays(4);
}

TEST_P(Option, AFrozenNumberThatChangesIsTwoPlainCallsAndANewCapture) {
  for (const auto& line : optimizers) {
    expect_same([&](scenario& run) {
      trainer trained(parse_case(line), at::randn({elements}), run.device());
      auto step = step_of(run, trained);
      for (int i = 0; i < 12; ++i) {
        if (i == 5) {
          set_second_number(trained.optimizer().param_groups()[0].options(), 0.7);
        }
        if (i == 8) {
          set_weight_decay(trained.optimizer().param_groups()[1].options(), 0.2);
        }
        step({run.random({elements})});
        run.see("parameters", trained.parameters());
      }
      step.expect_captures(3);
      step.expect_replays(6);
    });
  }
}

TEST_P(Option, AFrozenNumberThatChangesAgainAndAgainIsReportedOnce) {
  expect_same([](scenario& run) {
    trainer trained(parse_case("adam Adam lr=0.01 weight_decay=0.01"), at::randn({elements}), run.device());
    auto step = step_of(run, trained);
    for (int i = 0; i < 20; ++i) {
      if (i % 3 == 2) {
        set_weight_decay(trained.optimizer().param_groups()[0].options(), 0.01 * i);
      }
      step({run.random({elements})});
      run.see("parameters", trained.parameters());
    }
  });
  EXPECT_EQ(warnings_.count({"graphed::optim::Adam", "live(true)", link_to("how-to/training-steps.md")}), 1U) << warnings_.all();
}

TEST_P(Option, LiveNumbersThatChangeEachStepAreUsedByEachReplay) {
  for (const auto& line : optimizers) {
    expect_same([&](scenario& run) {
      trainer trained(parse_case(line + " live=1"), at::randn({elements}), run.device());
      auto step = step_of(run, trained);
      for (int i = 0; i < 12; ++i) {
        for (auto& group : trained.optimizer().param_groups()) {
          set_second_number(group.options(), 0.9 - 0.02 * i);
          set_weight_decay(group.options(), 0.01 + 0.01 * i);
        }
        step({run.random({elements})});
        run.see("parameters", trained.parameters());
      }
      step.expect_captures(1);
      step.expect_replays(10);
    });
  }
}

TEST_P(Option, ASchedulerInsideTheCallableFailsTheCapture) {
  expect_same([](scenario& run) {
    trainer trained(parse_case("adam Adam lr=0.01"), at::randn({elements}), run.device());
    torch::optim::StepLR scheduler(trained.optimizer(), 1, 0.5);
    subject step(run, {{"gradients", {elements}}}, [&](tensor_list& in) {
      const Tensor norm = trained.step(in[0]);
      scheduler.step();
      return tensor_list{norm};
    });
    step({run.random({elements})});
    step({run.random({elements})});
    run.see("parameters", trained.parameters());
  });
  scenario run(device(), true);
  trainer trained(parse_case("adam Adam lr=0.01"), at::randn({elements}), device());
  torch::optim::StepLR scheduler(trained.optimizer(), 1, 0.5);
  subject step(run, {{"gradients", {elements}}}, [&](tensor_list& in) {
    const Tensor norm = trained.step(in[0]);
    scheduler.step();
    return tensor_list{norm};
  });
  for (int i = 0; i < 4; ++i) {
    step({run.random({elements})});
  }
  step.expect_captures(0);
  EXPECT_EQ(warnings_.count({"changes an optimizer's options"}), 1U) << warnings_.all();
}

TEST_P(Option, AParameterGroupThatIsAddedIsStepped) {
  for (const auto& line : optimizers) {
    expect_same([&](scenario& run) {
      trainer trained(parse_case(line), at::randn({elements}), run.device());
      auto step = step_of(run, trained);
      const Tensor late = run.leaf({3, 2});
      late.mutable_grad() = at::ones_like(late);
      for (int i = 0; i < 10; ++i) {
        if (i == 5) {
          torch::optim::Optimizer& base = trained.optimizer();
          base.add_param_group(torch::optim::OptimizerParamGroup({late}));
        }
        step({run.random({elements})});
        run.see("late", late);
      }
      step.expect_captures(2);
    });
  }
}

TEST_P(Option, PlainStepsBetweenGraphedOnes) {
  for (const auto& line : optimizers) {
    expect_same([&](scenario& run) {
      trainer trained(parse_case(line), at::randn({elements}), run.device());
      auto step = step_of(run, trained);
      for (int i = 0; i < 14; ++i) {
        trained.set_rates(0.01 * (i + 1));
        const Tensor gradients = run.random({elements});
        if (i % 5 == 3) {
          trained.step(gradients);
        } else {
          step({gradients});
        }
        run.see("parameters", trained.parameters());
      }
      step.expect_captures(1);
      step.expect_replays(9);
    });
  }
}

TEST_P(Option, PreparingLeavesNoTrace) {
  for (const auto& line : optimizers) {
    expect_same([&](scenario& run) {
      trainer trained(parse_case(line), at::randn({elements}), run.device());
      auto step = step_of(run, trained);
      step.prepare({at::ones({elements}, run.options())});
      for (int i = 0; i < 5; ++i) {
        step({run.random({elements})});
        run.see("parameters", trained.parameters());
      }
      step.expect_replays(5);
    });
  }
}

TEST_P(Option, DampeningStartsOnTheDevice) {
  expect_same([](scenario& run) {
    trainer trained(parse_case("sgd SGD lr=0.1 momentum=0.9 dampening=0.5"), at::randn({elements}), run.device());
    auto step = step_of(run, trained);
    step.prepare({at::ones({elements}, run.options())});
    for (int i = 0; i < 5; ++i) {
      step({run.random({elements})});
      run.see("parameters", trained.parameters());
    }
    step.expect_replays(5);
  });
}

TEST_P(Option, WithoutWarmUp) {
  for (const auto& line : optimizers) {
    expect_same([&](scenario& run) {
      trainer trained(parse_case(line), at::randn({elements}), run.device());
      settings at_once;
      at_once.warmup = 0;
      auto step = step_of(run, trained, at_once);
      for (int i = 0; i < 5; ++i) {
        trained.set_rates(0.01 * (i + 1));
        step({run.random({elements})});
        run.see("parameters", trained.parameters());
      }
      step.expect_replays(5);
    });
  }
}

TEST_P(Option, ThoseOutOfRangeAreRefused) {
  const std::vector parameters = {at::zeros({2}, at::device(device())).requires_grad_()};
  EXPECT_THROW(optim::SGD(parameters, optim::SGDOptions(-1)), c10::Error);
  EXPECT_THROW(optim::SGD(parameters, optim::SGDOptions(1).momentum(-1)), c10::Error);
  EXPECT_THROW(optim::SGD(parameters, optim::SGDOptions(1).nesterov(true)), c10::Error);
  EXPECT_THROW(optim::Adam(parameters, optim::AdamOptions().betas({1.0, 0.9})), c10::Error);
  EXPECT_THROW(optim::AdamW(parameters, optim::AdamWOptions().eps(-1)), c10::Error);
  EXPECT_THROW(optim::Adagrad(parameters, optim::AdagradOptions().lr_decay(-1)), c10::Error);
  EXPECT_THROW(optim::RMSprop(parameters, optim::RMSpropOptions().alpha(-1)), c10::Error);
}

TEST_P(Option, ThoseOfLibTorchAreTaken) {
  const Tensor parameter = at::zeros({2}, at::device(device())).requires_grad_();
  parameter.mutable_grad() = at::ones_like(parameter);
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.emplace_back(std::vector{parameter}, std::make_unique<torch::optim::SGDOptions>(0.5));
  optim::SGD optimizer(groups, torch::optim::SGDOptions(1));
  optimizer.step();
  EXPECT_EQ(parameter[0].item<float>(), -0.5F);
  static_cast<torch::optim::SGDOptions&>(optimizer.param_groups()[0].options()).lr(0.25);
  optimizer.step();
  EXPECT_EQ(parameter[0].item<float>(), -0.75F);
}

// From LibTorch 2.12 on, what a group has at its class's default is the optimizer's.
TEST_P(Option, OfAGroupAreThoseOfTorchOptim) {
  const Tensor parameter = at::zeros({3}, at::device(device())).requires_grad_();
  const auto groups_with = [&](std::unique_ptr<torch::optim::OptimizerOptions> options) {
    std::vector<torch::optim::OptimizerParamGroup> groups;
    groups.emplace_back(std::vector{parameter}, std::move(options));
    return groups;
  };
  const auto defaults = torch::optim::SGDOptions(1).momentum(0.9).weight_decay(0.1);
  const auto given = torch::optim::SGDOptions(0.5).momentum(0).weight_decay(0.2);
  torch::optim::SGD eager(groups_with(std::make_unique<torch::optim::SGDOptions>(given)), defaults);
  optim::SGD ours(groups_with(optim::SGDOptions(given).maximize(true).live(true).clone()), defaults);
  const auto& expected = static_cast<const torch::optim::SGDOptions&>(eager.param_groups()[0].options());
  const auto& options = dynamic_cast<const optim::SGDOptions&>(ours.param_groups()[0].options());
  EXPECT_EQ(options.lr(), expected.lr());
  EXPECT_EQ(options.momentum(), expected.momentum());
  EXPECT_EQ(options.weight_decay(), expected.weight_decay());
  EXPECT_TRUE(options.maximize());
  EXPECT_TRUE(options.live());
}

}  // namespace option_test
