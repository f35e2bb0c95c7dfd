// SPDX-License-Identifier: Apache-2.0
//
// Forwards and backwards in every order: what is in flight has a slot of its own, and a second use of one node is eager's error.
#include "support/device_test.h"

#include <torch/autograd.h>

namespace in_flight_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(InFlight);

const std::vector<argument> layer_arguments{{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}};

tensor_list layer(tensor_list& in) { return {in[0].matmul(in[1]).tanh()}; }

/// A layer of a run, called with its weight on new random numbers.
struct trained_layer : subject {
  explicit trained_layer(scenario& run) : subject(run, layer_arguments, layer), w(run.leaf({8, 4})), run_(run) {}
  Tensor operator()() { return subject::operator()({run_.random({16, 8}), w})[0]; }

  const Tensor w;

 private:
  scenario& run_;
};

TEST_P(InFlight, ForwardForwardBackwardBackward) {
  expect_same([](scenario& run) {
    trained_layer f(run);
    for (int step = 0; step < 6; ++step) {
      const Tensor first = f();
      const Tensor second = f();
      run.see("first", first);
      run.see("second", second);
      first.sum().backward();
      run.see_grad("of first", f.w);
      second.pow(2).sum().backward();
      run.see_grad("of second", f.w);
    }
    f.expect_replays(10, 10);
    f.expect_captures(2);
  });
}

TEST_P(InFlight, BackwardsInTheOrderOfTheForwards) {
  expect_same([](scenario& run) {
    trained_layer f(run);
    for (int step = 0; step < 6; ++step) {
      const Tensor first = f();
      const Tensor second = f();
      second.sum().backward();
      first.sum().backward();
      run.see_grad("w.grad", f.w);
    }
  });
}

TEST_P(InFlight, ThirdForwardRunsPlainly) {
  expect_same([](scenario& run) {
    trained_layer f(run);
    for (int step = 0; step < 2; ++step) {
      f();
    }
    for (int step = 0; step < 3; ++step) {
      const Tensor first = f();
      const Tensor second = f();
      const Tensor third = f();
      (first.sum() + second.pow(2).sum() + third.pow(3).sum()).backward();
      run.see("third", third);
      run.see_grad("w.grad", f.w);
    }
    f.expect_misses(Miss::Slots, 3);
    f.expect_captures(2);
  });
}

TEST_P(InFlight, CalledOnItsOwnResult) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {8, 8}, at::kFloat, true}, {"w", {8, 8}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]).tanh()}; });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      Tensor state = run.leaf({8, 8});
      for (int time = 0; time < 4; ++time) {
        state = f({state, w})[0];
      }
      run.see("state", state);
      state.sum().backward();
      run.see_grad("w.grad", w);
    }
  });
}

TEST_P(InFlight, BackwardTwiceThroughOneNodeIsTheStandardError) {
  expect_same([](scenario& run) {
    trained_layer f(run);
    for (int step = 0; step < 5; ++step) {
      const Tensor y = f();
      const Tensor loss = y.pow(2).sum();
      y.sum().backward();
      run.see_grad("w.grad", f.w);
      EXPECT_TRUE(run.see_error("second backward", [&] { y.sum().backward(); }));
      EXPECT_FALSE(f.w.grad().defined());
    }
  });
}

TEST_P(InFlight, RetainedGraphRunsTwice) {
  expect_same([](scenario& run) {
    trained_layer f(run);
    for (int step = 0; step < 5; ++step) {
      const Tensor loss = f().pow(2).sum();
      loss.backward({}, /*retain_graph=*/true);
      run.see_grad("first", f.w);
      loss.backward({}, /*retain_graph=*/true);
      run.see_grad("second", f.w);
      loss.backward();
      run.see_grad("third", f.w);
      EXPECT_TRUE(run.see_error("fourth", [&] { loss.backward(); }));
    }
    f.expect_replays(3, 9);
    f.expect_captures(1);
  });
}

TEST_P(InFlight, DoubleBackwardIsAClearError) {
  scenario run(device(), true);
  trained_layer f(run);
  for (int step = 0; step < 5; ++step) {
    const Tensor y = f();
    const Tensor gradient = torch::autograd::grad({y.pow(2).sum()}, {f.w}, {}, std::nullopt, /*create_graph=*/true)[0];
    if (step < 2) {
      EXPECT_NO_THROW(gradient.sum().backward());
      continue;
    }
    try {
      gradient.sum().backward();
      ADD_FAILURE() << "step " << step << ": no error";
    } catch (const std::exception& error) {
      EXPECT_NE(message_of(error).find("test_callable"), std::string::npos) << error.what();
      EXPECT_NE(message_of(error).find("cannot be differentiated twice; mark the training 'step'"), std::string::npos) << error.what();
      EXPECT_NE(message_of(error).find("steps.md#gradients-of-gradients"), std::string::npos) << error.what();
    }
  }
}

TEST_P(InFlight, GradientsWithCreateGraphHaveTheRightValues) {
  expect_same([](scenario& run) {
    trained_layer f(run);
    for (int step = 0; step < 5; ++step) {
      const Tensor y = f();
      run.see("gradient", torch::autograd::grad({y.sum()}, {f.w}, {}, std::nullopt, /*create_graph=*/true)[0]);
    }
  });
}

TEST_P(InFlight, AccumulationOverThreeMicroBatches) {
  expect_same([](scenario& run) {
    trained_layer f(run);
    for (int step = 0; step < 5; ++step) {
      for (int micro_batch = 0; micro_batch < 3; ++micro_batch) {
        f().pow(2).sum().backward();
        run.see("w.grad", f.w.grad());
      }
      f.w.mutable_grad() = Tensor();
    }
    f.expect_replays(13, 13);
    f.expect_captures(1);
  });
}

TEST_P(InFlight, AccumulationIntoZeroedGradients) {
  expect_same([](scenario& run) {
    trained_layer f(run);
    for (int step = 0; step < 6; ++step) {
      if (f.w.grad().defined()) {
        f.w.mutable_grad().zero_();
      }
      f().pow(2).sum().backward();
      run.see("w.grad", f.w.grad());
    }
  });
}

TEST_P(InFlight, DroppedOutputFreesItsSlot) {
  expect_same([](scenario& run) {
    trained_layer f(run);
    for (int step = 0; step < 8; ++step) {
      run.see("y", f());
    }
    f.expect_replays(6);
    f.expect_captures(1);
    f.expect_misses(Miss::Slots, 0);
  });
}

TEST_P(InFlight, ResetDropsCapturesAndCallsInFlightKeepTheirs) {
  expect_same([](scenario& run) {
    trained_layer f(run);
    for (int round = 0; round < 2; ++round) {
      for (int step = 0; step < 4; ++step) {
        f().sum().backward();
      }
      const Tensor y = f();
      f.reset();
      EXPECT_EQ(f.stats().calls, 0U);
      run.see("y", y);
      y.pow(2).sum().backward();
      run.see_grad("w.grad", f.w);
    }
    for (int step = 0; step < 3; ++step) {
      run.see("y", f());
    }
    f.expect_captures(1);
  });
}

TEST_P(InFlight, EngineDestroyedWhileAnOutputAndItsGraphAreAlive) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 4});
    Tensor y, earlier;
    {
      subject f(run, layer_arguments, layer);
      for (int step = 0; step < 4; ++step) {
        f({run.random({16, 8}), w})[0].sum().backward();
      }
      earlier = f({run.random({16, 8}), w})[0].detach();
      y = f({run.random({16, 8}), w})[0];
    }
    run.see("earlier", earlier);
    run.see("y", y);
    y.pow(2).sum().backward();
    run.see_grad("w.grad", w);
  });
}

}  // namespace in_flight_test
