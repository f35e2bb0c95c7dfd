// SPDX-License-Identifier: Apache-2.0
//
// Numbers and branches on the host that change from call to call: a graph would freeze them, so none is made.
#include "support/standalone.h"

#include <graphed/error.h>
#include <graphed/optim/sgd.h>

#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <memory>
#include <random>

namespace frozen_number_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(FrozenNumber);

const std::vector<argument> batch{{"x", {4}}};

TEST_P(FrozenNumber, CounterInsideIsNeverCaptured) {
  expect_same([](scenario& run) {
    int count = 0;
    subject f(run, batch, [&](tensor_list& in) { return tensor_list{in[0] * ++count}; });
    for (int call = 0; call < 10; ++call) {
      run.see("y", f({run.random({4})}));
    }
    f.expect_captures(0);
    f.expect_misses(Miss::CaptureFailed, 5);  // after two warm-ups and three more
  });
  EXPECT_EQ(warnings_.count({"no capture is tried", "aten::mul.Scalar takes the number 5, and took 4 in the call before", "`live`"}), 1U)
      << warnings_.all();
}

TEST_P(FrozenNumber, ThatSettlesIsCaptured) {
  expect_same([](scenario& run) {
    int call = 0;
    subject f(run, batch, [&](tensor_list& in) { return tensor_list{in[0].add(in[0], 0.5 * std::min(call, 2))}; });
    for (; call < 10; ++call) {
      run.see("y", f({run.random({4})}));
    }
    f.expect_captures(1);
    f.expect_replays(6);  // two warm-ups and two more
  });
}

TEST_P(FrozenNumber, TensorThatTheHostChooses) {
  expect_same([](scenario& run) {
    int call = 0;
    subject f(run, batch, [&](tensor_list& in) {
      const Tensor a = in[0] * 2, b = in[0] * 3;
      return tensor_list{(call % 2 == 0 ? a : b).exp()};
    });
    for (; call < 10; ++call) {
      run.see("y", f({run.random({4})}));
    }
    f.expect_captures(0);
  });
  EXPECT_EQ(warnings_.count(
                {"operator aten::exp takes a tensor of shape [4] that the callable has made, and took a different one in the call before"}),
            1U)
      << warnings_.all();
}

TEST_P(FrozenNumber, BranchThatDependsOnTheCall) {
  expect_same([](scenario& run) {
    int call = 0;
    subject f(run, batch, [&](tensor_list& in) { return tensor_list{call % 2 == 0 ? in[0].exp() : in[0].sin()}; });
    for (; call < 12; ++call) {
      run.see("y", f({run.random({4})}));
    }
    f.expect_captures(0);
  });
  EXPECT_EQ(warnings_.count({"it runs operator aten::exp where the call before ran aten::sin"}), 1U) << warnings_.all();
}

TEST_P(FrozenNumber, LoopOfAnotherLengthOnEachCall) {
  expect_same([](scenario& run) {
    int call = 0;
    subject f(run, batch, [&](tensor_list& in) {
      Tensor y = in[0];
      for (int i = 0; i < call % 5; ++i) {
        y = y.sin();
      }
      return tensor_list{y + 1};
    });
    for (; call < 12; ++call) {
      run.see("y", f({run.random({4})}));
    }
    f.expect_captures(0);
  });
}

TEST_P(FrozenNumber, StepCountOfAnOptimizerOnTheHost) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({4});
    w.mutable_grad() = at::zeros_like(w);
    torch::optim::Adam adam({w});
    subject f(run, batch, [&](tensor_list& in) {
      w.grad().copy_(in[0]);
      adam.step();
      return tensor_list{};
    });
    for (int call = 0; call < 10; ++call) {
      f({run.random({4})});
      run.see("w", w);
    }
    f.expect_captures(0);
  });
}

/// Six steps of a parameter by `update`, in a callable marked `step`.
template <class Update>
void expect_stepped_as_eager(c10::Device device, Update&& make_update, uint64_t captures) {
  expect_same(device, [&](scenario& run) {
    const Tensor w = run.leaf({4});
    const auto update = make_update(w);
    settings of_a_step;
    of_a_step.step = true;
    subject f(
        run, batch,
        [&](tensor_list& in) {
          w.mutable_grad() = Tensor();
          (in[0] * w).sum().backward();
          update();
          return tensor_list{};
        },
        of_a_step);
    for (int call = 0; call < 10; ++call) {
      f({run.random({4})});
      run.see("w", w);
    }
    f.expect_captures(captures);
  });
}

template <class Optimizer, class Options>
auto steps_of(Options options) {
  return [options](const Tensor& w) {
    const auto optimizer = std::make_shared<Optimizer>(std::vector<Tensor>{w}, options);
    return [optimizer] { optimizer->step(); };
  };
}

TEST_P(FrozenNumber, StepCountInAStepNamesTheOptimizersToTake) {
  expect_stepped_as_eager(device(), steps_of<torch::optim::Adam>(torch::optim::AdamOptions(0.1)), 0);
  EXPECT_EQ(warnings_.count({"no capture is tried", "those of graphed::optim on the device"}), 1U) << warnings_.all();
}

TEST_P(FrozenNumber, LearningRateInAStepNamesTheOptimizersToTake) {
  expect_stepped_as_eager(device(), steps_of<torch::optim::SGD>(torch::optim::SGDOptions(0.25).momentum(0.9)), 1);
  EXPECT_EQ(warnings_.count({"operator aten::add_.Tensor steps a parameter of shape [4] by the number -0.25",
                             "graphed::optim" + link_to("reference/checks/gradients.md#graphed-torch-optim")}),
            1U)
      << warnings_.all();
}

TEST_P(FrozenNumber, LearningRateOnTheDeviceIsNotFrozen) {
  expect_stepped_as_eager(device(), steps_of<graphed::optim::SGD>(graphed::optim::SGDOptions(0.25).momentum(0.9)), 1);
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

TEST_P(FrozenNumber, AverageOfParametersIsNoStep) {
  const auto average = [](const Tensor& w) {
    const Tensor mean = w.detach().clone().requires_grad_();
    return [w, mean] {
      const at::NoGradGuard no_history;
      w.sub_(w.grad());
      mean.mul_(0.75).add_(w, 0.25);
      w.copy_(mean);
    };
  };
  expect_stepped_as_eager(device(), average, 1);
  EXPECT_EQ(warnings_.count(), 0U) << warnings_.all();
}

TEST_P(FrozenNumber, StateMadeByTheFirstCall) {
  expect_same([](scenario& run) {
    Tensor momentum;
    settings one_warmup;
    one_warmup.warmup = 1;
    subject f(
        run, batch,
        [&](tensor_list& in) {
          if (!momentum.defined()) {
            momentum = at::zeros_like(in[0]);
          }
          momentum.mul_(0.9).add_(in[0]);
          return tensor_list{momentum * 2};
        },
        one_warmup);
    for (int call = 0; call < 8; ++call) {
      run.see("y", f({run.random({4})}));
    }
    f.expect_captures(1);
  });
}

/// What graphed-frozen, graphed-host-random, graphed-host-clock and graphed-host-state say: host code runs at warm-ups and the capture
/// only.
TEST_P(FrozenNumber, ThatChangesAfterTheCaptureIsTheOldOneInReplays) {
  scenario run(device(), true);
  double scale = 2;
  int calls_of_the_host = 0;
  std::vector<Tensor> kept;
  subject f(run, batch, [&](tensor_list& in) {
    ++calls_of_the_host;
    kept.push_back(in[0]);
    return tensor_list{in[0] * scale};
  });
  const Tensor x = run.random({4});
  for (int call = 0; call < 4; ++call) {
    EXPECT_TRUE(at::equal(f({x})[0], x * 2));
  }
  const int until_the_capture = calls_of_the_host;
  scale = 3;
  for (int call = 0; call < 4; ++call) {
    EXPECT_TRUE(at::equal(f({x})[0], x * 2)) << "the number at the capture";
  }
  EXPECT_EQ(calls_of_the_host, until_the_capture);
  EXPECT_EQ(kept.size(), static_cast<std::size_t>(until_the_capture));
  f.expect_captures(1);
}

TEST_P(FrozenNumber, ThatIsDrawnOnTheHostIsNeverCaptured) {
  expect_same([](scenario& run) {
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> distribution;
    subject f(run, batch, [&](tensor_list& in) { return tensor_list{in[0] * distribution(engine)}; });
    for (int call = 0; call < 10; ++call) {
      run.see("y", f({run.random({4})}));
    }
    f.expect_captures(0);
  });
  EXPECT_EQ(warnings_.count({"no capture is tried", "aten::mul.Scalar takes the number"}), 1U) << warnings_.all();
}

TEST_P(FrozenNumber, OfAKeyIsFixedByIt) {
  expect_same([](scenario& run) {
    double eps = 0;
    subject f(run, batch, [&](tensor_list& in) { return tensor_list{in[0] + eps}; });
    for (int call = 0; call < 12; ++call) {
      eps = 0.5 * (call % 2);
      run.see("y", f({run.random({4})}, Scalars().key("eps", eps)));
    }
    f.expect_captures(2);
    f.expect_replays(8);
  });
}

TEST_P(FrozenNumber, IsRefusedByPrepareAndUnderStrict) {
  scenario run(device(), true);
  int count = 0;
  settings strict;
  strict.strict = true;
  const auto body = [&](tensor_list& in) { return tensor_list{in[0] * ++count}; };
  const Tensor x = run.random({4});
  subject prepared(run, batch, body);
  EXPECT_TRUE(contains(text_of<CaptureError>([&] { prepared.prepare({x}); }), "takes the number"));
  subject f(run, batch, body, strict);
  for (int call = 0; call < 4; ++call) {
    f({x});
  }
  EXPECT_TRUE(contains(text_of<CaptureError>([&] { f({x}); }), "takes the number"));
}

}  // namespace frozen_number_test
