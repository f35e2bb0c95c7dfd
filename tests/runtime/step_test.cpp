// SPDX-License-Identifier: Apache-2.0
//
// Whole training steps: gradients, their memory, state that is replaced, captures ahead, and what a step may not do.
#include "support/autocast.h"
#include "support/standalone.h"

#include <graphed/error.h>

#include <torch/nn.h>
#include <torch/optim.h>

namespace {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Step);

const std::vector<argument> batch{{"x", {8, 4}}, {"y", {8, 2}}};

settings of_a_step(int warmup = 2) {
  settings made;
  made.warmup = warmup;
  made.step = true;
  return made;
}

enum class zeroing { to_none, to_zero, none_outside, never };

/// A network with its optimizer, and the step that trains it.
struct trainer {
  explicit trainer(const scenario& run, zeroing how = zeroing::to_none, double momentum = 0)
      : how(how), net(torch::nn::Linear(4, 6), torch::nn::BatchNorm1d(6), torch::nn::Tanh(), torch::nn::Linear(6, 2)) {
    net->to(run.device());
    optimizer.emplace(net->parameters(), torch::optim::SGDOptions(0.1).momentum(momentum));
  }
  tensor_list operator()(tensor_list& in) {
    if (how == zeroing::to_none || how == zeroing::to_zero) {
      optimizer->zero_grad(how == zeroing::to_none);
    }
    const Tensor loss = (net->forward(in[0]) - in[1]).square().mean();
    loss.backward();
    optimizer->step();
    return {loss.detach()};
  }
  void see(scenario& run) const {
    for (const auto& parameter : net->named_parameters()) {
      run.see(parameter.key(), parameter.value());
      run.see(parameter.key() + ".grad", parameter.value().grad());
    }
    for (const auto& buffer : net->named_buffers()) {
      run.see(buffer.key(), buffer.value());
    }
  }

  const zeroing how;
  torch::nn::Sequential net;
  std::optional<torch::optim::SGD> optimizer;
};

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
    step.expect_misses(miss::shape, 3);
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
    aliased.outputs = output_policy::alias;
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

// What an attempt without it has left in its `.grad` is no part of the next one.
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
  EXPECT_TRUE(contains(text_of<capture_error>([&] { step(arguments); }), "result 0 of a step has a history: return its detach()"));
}

TEST_P(Step, GradientOfAnArgumentIsRefused) {
  scenario run(device(), true);
  settings strict = of_a_step();
  strict.strict = true;
  const Tensor w = run.leaf({4});
  subject step(
      run, {{"x", {4}, at::kFloat, true}},
      [&](tensor_list& in) {
        (in[0] * w).sum().backward();
        return tensor_list{};
      },
      strict);
  const Tensor x = run.leaf({4});
  step({x});
  x.mutable_grad().reset();
  w.mutable_grad().reset();
  step({x});
  EXPECT_TRUE(contains(text_of<capture_error>([&] { step({x}); }), "it gives its argument 'x' a .grad"));
}

// The casts of the parameters are made anew by each step, and its backward has the dtypes of its forward.
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
  EXPECT_TRUE(contains(text_of<capture_error>([&] { step(arguments); }), "mark the annotation `step`"));
}

}  // namespace
