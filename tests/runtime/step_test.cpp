// SPDX-License-Identifier: Apache-2.0
//
// Whole training steps: gradients, their memory, and state that is replaced.
#include "support/step.h"

namespace step_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_INSTANTIATE_DEVICE_TESTS(Step);

/// A hook of an accumulator, which sees `.grad` when it is there.
struct doubled_learning final : torch::autograd::FunctionPostHook {
  explicit doubled_learning(Tensor leaf) : leaf(std::move(leaf)) {}
  torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                            const torch::autograd::variable_list& /*inputs*/) override {
    const c10::NoGradGuard no_grad;
    leaf.grad().mul_(2);
    return outputs;
  }
  const Tensor leaf;
};

void expect_trained_as_eager(c10::Device device, zeroing how, double momentum, uint64_t replays) {
  expect_same(device, [&](scenario& run) {
    trainer model(run, how, momentum);
    subject step(run, batch, [&](tensor_list& in) { return model(in); }, of_a_step(), model.net.get());
    for (int call = 0; call < 10; ++call) {
      if (how == zeroing::none_outside) {
        model.optimizer->zero_grad();
      }
      run.see("loss", step({run.random({8, 4}), run.random({8, 2})}));
      model.see(run);
    }
    step.expect_replays(replays);
  });
}

TEST_P(Step, TrainsAsEager) { expect_trained_as_eager(device(), zeroing::to_none, 0, 8); }
TEST_P(Step, WithGradientsSetToZero) { expect_trained_as_eager(device(), zeroing::to_zero, 0, 7); }  // the first step finds none
TEST_P(Step, WithGradientsSetToNoneOutside) { expect_trained_as_eager(device(), zeroing::none_outside, 0, 8); }
TEST_P(Step, WithGradientsThatAddUp) { expect_trained_as_eager(device(), zeroing::never, 0, 7); }
TEST_P(Step, WithMomentumThatTheFirstStepMakes) { expect_trained_as_eager(device(), zeroing::to_none, 0.9, 7); }

// Gradients add up over two steps.
TEST_P(Step, WithGradientsInEverySecondCallOnly) {
  for (const int warmup : {1, 2}) {
    expect_same([&](scenario& run) {
      trainer model(run, zeroing::never);
      subject step(run, batch, [&](tensor_list& in) { return model(in); }, of_a_step(warmup), model.net.get());
      for (int call = 0; call < 24; ++call) {
        if (call % 2 == 0) {
          model.optimizer->zero_grad();
        }
        run.see("loss", step({run.random({8, 4}), run.random({8, 2})}));
        model.see(run);
      }
      if (run.graphed()) {
        EXPECT_GE(step.stats().replays, 14U) << step.explain() << warnings_.all();
        EXPECT_NE(step.explain().find("0 of 6 parameters with a .grad"), std::string::npos) << step.explain();
        EXPECT_NE(step.explain().find("6 of 6 parameters with a .grad"), std::string::npos) << step.explain();
      }
    });
  }
}

// The optimizer passes over parameters without a gradient.
TEST_P(Step, OfAnOptimizerWithGradientsInEverySecondCallOnly) {
  expect_same([&](scenario& run) {
    const Tensor w = run.leaf({4}), v = run.leaf({4});
    const auto update = [&](tensor_list& in) {
      const c10::NoGradGuard no_grad;
      for (const Tensor& each : {w, v}) {
        if (each.grad().defined()) {
          each.sub_(each.grad() * in[0]);
        }
      }
      return tensor_list{w.sum() + v.sum()};
    };
    subject step(run, {{"rate", {4}}}, update, of_a_step());
    for (int call = 0; call < 24; ++call) {
      w.mutable_grad().reset();
      if (call % 2 == 1) {
        (w * run.random({4})).sum().backward();
      }
      run.see("sum", step({run.random({4})}));
      run.see("w", w);
    }
    if (run.graphed()) {
      EXPECT_GE(step.stats().replays, 10U) << step.explain() << warnings_.all();
    }
  });
}

TEST_P(Step, OneWhoseOperatorsChangeIsNotSaidToCountSteps) {
  const scenario run(device(), true);
  int calls = 0;
  test_callable step({{"x", {4}}}, [&](tensor_list& in) { return tensor_list{++calls % 2 == 0 ? in[0].sin() : in[0].cos()}; }, of_a_step());
  for (int call = 0; call < 8; ++call) {
    step({run.random({4})});
  }
  EXPECT_EQ(warnings_.count({"it runs operator aten::", "what changes from call to call is an argument"}), 1U) << warnings_.all();
  EXPECT_EQ(warnings_.count({"torch::optim"}), 0U) << warnings_.all();
}

TEST_P(Step, MakesNoAutogradNode) {
  scenario run(device(), true);
  trainer model(run);
  subject step(run, batch, [&](tensor_list& in) { return model(in); }, of_a_step(), model.net.get());
  for (int call = 0; call < 5; ++call) {
    const Tensor loss = step({run.random({8, 4}), run.random({8, 2})})[0];
    EXPECT_FALSE(loss.requires_grad());
  }
  EXPECT_EQ(step.stats().backward_captures, 0U);
  EXPECT_EQ(step.captures(), 1U);
}

TEST_P(Step, RaggedBatchIsAPlainStepOnTheSameState) {
  expect_same([](scenario& run) {
    trainer model(run);
    subject step(run, batch, [&](tensor_list& in) { return model(in); }, of_a_step(), model.net.get());
    for (int call = 0; call < 12; ++call) {
      const int64_t rows = call % 4 == 3 ? 5 : 8;
      run.see("loss", step({run.random({rows, 4}), run.random({rows, 2})}));
      model.see(run);
    }
    step.expect_misses(Miss::Shape, 3);
    step.expect_replays(7);
  });
}

TEST_P(Step, HeldGradientsStay) {
  expect_same([](scenario& run) {
    trainer model(run);
    subject step(run, batch, [&](tensor_list& in) { return model(in); }, of_a_step(), model.net.get());
    tensor_list held;
    for (int call = 0; call < 8; ++call) {
      step({run.random({8, 4}), run.random({8, 2})});
      held.push_back(model.net->parameters()[0].grad());
    }
    run.see("held", held);
  });
}

TEST_P(Step, HeldGradientsStayWhereResultsAreAliased) {
  expect_same([](scenario& run) {
    trainer model(run);
    settings aliased = of_a_step();
    aliased.outputs = OutputPolicy::Alias;
    subject step(run, batch, [&](tensor_list& in) { return model(in); }, aliased, model.net.get());
    tensor_list held;
    for (int call = 0; call < 6; ++call) {
      run.see("loss", step({run.random({8, 4}), run.random({8, 2})}));
      held.push_back(model.net->parameters()[0].grad());
    }
    run.see("held", held);
    step.expect_replays(4);
  });
}

TEST_P(Step, DroppedGradientsAreNotMoved) {
  scenario run(device(), true);
  trainer model(run);
  subject step(run, batch, [&](tensor_list& in) { return model(in); }, of_a_step(), model.net.get());
  for (int call = 0; call < 8; ++call) {
    step({run.random({8, 4}), run.random({8, 2})});
  }
  EXPECT_EQ(step.stats().kept_outputs, 0U) << step.stats();
}

TEST_P(Step, GradientsReplacedByOthersAreNoticed) {
  expect_same([](scenario& run) {
    trainer model(run, zeroing::to_zero);
    subject step(run, batch, [&](tensor_list& in) { return model(in); }, of_a_step(), model.net.get());
    for (int call = 0; call < 12; ++call) {
      if (call == 6) {
        model.net->parameters()[0].mutable_grad() = run.random({6, 4});
      }
      if (call == 9) {
        model.optimizer->zero_grad(/*set_to_none=*/true);
      }
      step({run.random({8, 4}), run.random({8, 2})});
      model.see(run);
    }
  });
}

TEST_P(Step, GradientOfAFrozenParameterIsNoticed) {
  expect_same([](scenario& run) {
    trainer model(run);
    Tensor frozen = model.net->parameters()[0];
    frozen.requires_grad_(false);
    subject step(run, batch, [&](tensor_list& in) { return model(in); }, of_a_step(), model.net.get());
    for (int call = 0; call < 8; ++call) {
      if (call == 5) {
        frozen.mutable_grad() = run.random({6, 4});
      }
      step({run.random({8, 4}), run.random({8, 2})});
      model.see(run);
    }
  });
}

TEST_P(Step, ParameterOfOtherMemoryIsNoticed) {
  expect_same([](scenario& run) {
    trainer model(run);
    subject step(run, batch, [&](tensor_list& in) { return model(in); }, of_a_step(), model.net.get());
    for (int call = 0; call < 9; ++call) {
      if (call == 5) {
        model.net->parameters()[0].set_data(run.random({6, 4}));
      }
      run.see("loss", step({run.random({8, 4}), run.random({8, 2})}));
      model.see(run);
    }
    step.expect_captures(2);
  });
}

TEST_P(Step, HooksRunInside) {
  expect_same([](scenario& run) {
    trainer model(run);
    model.net->parameters()[0].register_hook([](const Tensor& gradient) { return gradient * 0.5; });
    subject step(run, batch, [&](tensor_list& in) { return model(in); }, of_a_step(), model.net.get());
    for (int call = 0; call < 6; ++call) {
      run.see("loss", step({run.random({8, 4}), run.random({8, 2})}));
      model.see(run);
    }
    step.expect_replays(4);
  });
}

TEST_P(Step, HooksThatComeAndGoAreNoticed) {
  expect_same([](scenario& run) {
    trainer model(run);
    const Tensor weight = model.net->parameters()[0];
    subject step(run, batch, [&](tensor_list& in) { return model(in); }, of_a_step(), model.net.get());
    unsigned hook = 0;
    for (int call = 0; call < 12; ++call) {
      if (call == 4) {
        hook = weight.register_hook([](const Tensor& gradient) { return gradient * 0.5; });
      }
      if (call == 6) {
        weight.register_hook([](const Tensor& gradient) { return gradient + 1; });
      }
      if (call == 8) {
        weight.remove_hook(hook);
      }
      run.see("loss", step({run.random({8, 4}), run.random({8, 2})}));
      model.see(run);
    }
    step.expect_captures(4);
    step.expect_replays(10);
  });
}

TEST_P(Step, HookOfAnAccumulatorThatComesLaterIsNotLeftOut) {
  expect_same([](scenario& run) {
    trainer model(run);
    const auto accumulator = torch::autograd::impl::grad_accumulator(model.net->parameters()[0]);
    subject step(run, batch, [&](tensor_list& in) { return model(in); }, of_a_step(), model.net.get());
    for (int call = 0; call < 8; ++call) {
      if (call == 4) {
        accumulator->add_post_hook(std::make_unique<doubled_learning>(model.net->parameters()[0]));
      }
      run.see("loss", step({run.random({8, 4}), run.random({8, 2})}));
      model.see(run);
    }
    step.expect_replays(2);
  });
}

/// A hook after accumulation, which works on `.grad`.
struct scaled_learning final : torch::autograd::PostAccumulateGradHook {
  explicit scaled_learning(double by) : by(by) {}
  void operator()(const Tensor& leaf) override {
    const c10::NoGradGuard no_grad;
    leaf.grad().mul_(by);
  }
  const double by;
};

TEST_P(Step, HooksAfterAccumulationThatComeAndGoAreNoticed) {
  expect_same([](scenario& run) {
    trainer model(run);
    const Tensor weight = model.net->parameters()[0];
    const auto set = [&weight](std::unique_ptr<torch::autograd::PostAccumulateGradHook> hook) {
      torch::autograd::impl::set_post_acc_grad_hooks(weight, std::move(hook));
    };
    subject step(run, batch, [&](tensor_list& in) { return model(in); }, of_a_step(), model.net.get());
    for (int call = 0; call < 12; ++call) {
      if (call == 4) {
        set(std::make_unique<scaled_learning>(0.5));
      }
      if (call == 6) {
        set(nullptr);
        set(std::make_unique<scaled_learning>(3));
      }
      if (call == 8) {
        set(nullptr);
      }
      run.see("loss", step({run.random({8, 4}), run.random({8, 2})}));
      model.see(run);
    }
    step.expect_captures(4);
    step.expect_replays(10);
  });
}

// A gradient penalty: the norm of the loss's gradient by the input is a part of the loss.
TEST_P(Step, DoubleBackwardInside) {
  expect_same([](scenario& run) {
    trainer model(run);
    subject step(
        run, batch,
        [&](tensor_list& in) {
          model.optimizer->zero_grad();
          const Tensor x = in[0].detach().requires_grad_();
          const Tensor y = model.net->forward(x);
          const Tensor slope = torch::autograd::grad({y.sum()}, {x}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
          const Tensor loss = (y - in[1]).square().mean() + (slope.norm() - 1).square();
          loss.backward();
          model.optimizer->step();
          return tensor_list{loss.detach(), slope.detach()};
        },
        of_a_step(), model.net.get());
    for (int call = 0; call < 6; ++call) {
      run.see("results", step({run.random({8, 4}), run.random({8, 2})}));
      model.see(run);
    }
    step.expect_replays(4);
  });
}

// Two losses, two optimizers, two micro-batches: as in an actor and its critic.
TEST_P(Step, SeveralLossesAndOptimizers) {
  expect_same([](scenario& run) {
    trainer critic(run), actor(run);
    subject step(
        run, batch,
        [&](tensor_list& in) {
          critic.optimizer->zero_grad();
          for (const auto& half : in[0].chunk(2)) {
            (critic.net->forward(half).square().mean() * 0.5).backward();
          }
          critic.optimizer->step();
          actor.optimizer->zero_grad();
          const Tensor loss = (actor.net->forward(in[0]) * critic.net->forward(in[0]) - in[1]).mean();
          loss.backward();
          actor.optimizer->step();
          return tensor_list{loss.detach()};
        },
        of_a_step());
    for (int call = 0; call < 7; ++call) {
      run.see("loss", step({run.random({8, 4}), run.random({8, 2})}));
      critic.see(run);
      actor.see(run);
    }
    step.expect_replays(5);
  });
}

}  // namespace step_test
