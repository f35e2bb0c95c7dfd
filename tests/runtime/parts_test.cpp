// SPDX-License-Identifier: Apache-2.0
//
// One callable with several networks that have nothing in common: each result may be gone back through alone, as eager's.
#include "support/device_test.h"

#include <torch/autograd.h>

#include <thread>

namespace parts_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Parts);

/// An actor and a critic, which a callable closes over.
struct two_networks {
  explicit two_networks(scenario& run, settings settings = {})
      : actor(run.leaf({8, 4})),
        critic(run.leaf({8, 1})),
        f(
            run, {{"x", {16, 8}}}, [this](tensor_list& in) { return tensor_list{in[0].matmul(actor).tanh(), in[0].matmul(critic).pow(2)}; },
            settings),
        run_(run) {}
  tensor_list operator()() { return f({run_.random({16, 8})}); }
  void see_grads(const std::string& label) {
    run_.see_grad(label + ": actor", actor);
    run_.see_grad(label + ": critic", critic);
  }

  const Tensor actor, critic;
  subject f;

 private:
  scenario& run_;
};

TEST_P(Parts, GoBackOneAfterAnother) {
  expect_same([](scenario& run) {
    two_networks networks(run);
    for (int step = 0; step < 6; ++step) {
      const tensor_list results = networks();
      results[0].pow(2).sum().backward();
      networks.see_grads("after the actor's");
      results[1].sum().backward();
      networks.see_grads("after the critic's");
    }
    networks.f.expect_replays(4, 8);
  });
}

TEST_P(Parts, GoBackInTurnAndAddUp) {
  expect_same([](scenario& run) {
    two_networks networks(run);
    for (int step = 0; step < 6; ++step) {
      const tensor_list results = networks();
      results[step % 2].sum().backward();
      results[1 - step % 2].sum().backward();
      if (step % 3 == 2) {
        networks.see_grads("of three");
      }
    }
    networks.f.expect_replays(4, 8);
  });
}

// More than a machine word has bits. Those beyond sixteen backwards go back by eager autograd.
TEST_P(Parts, MayBeAnyNumber) {
  expect_same([](scenario& run) {
    constexpr std::size_t count = 130;
    subject f(run, std::vector<argument>(count, {"x", {4}, at::kFloat, true}), [](tensor_list& in) {
      tensor_list squares;
      for (const Tensor& each : in) {
        squares.push_back((each * each).sum());
      }
      return squares;
    });
    for (int step = 0; step < 4; ++step) {
      tensor_list leaves;
      for (std::size_t i = 0; i < count; ++i) {
        leaves.push_back(run.leaf({4}));
      }
      const tensor_list results = f(leaves);
      for (std::size_t i = 0; i < count; ++i) {
        run.see_error("backward", [&] { results[(i * 7) % count].backward(); });
      }
      for (const Tensor& leaf : leaves) {
        run.see_grad("gradient", leaf);
      }
      EXPECT_TRUE(run.see_error("a second time", [&] { results[count - 1].backward(); }));
    }
    f.expect_captures(1);
  });
}

// Those beyond sixteen have no graph of their own.
TEST_P(Parts, NeedNothingThatAnotherHasSaved) {
  expect_same([](scenario& run) {
    tensor_list weights;
    for (int i = 0; i < 20; ++i) {
      weights.push_back(run.leaf({8, 2}));
    }
    subject f(run, {{"x", {16, 8}}}, [&](tensor_list& in) {
      tensor_list results;
      for (const Tensor& weight : weights) {
        results.push_back(in[0].matmul(weight * weight));
      }
      return results;
    });
    for (std::size_t step = 0; step < 8; ++step) {
      const tensor_list results = f({run.random({16, 8})});
      const std::size_t changed = (step * 7) % weights.size();
      for (std::size_t i = 0; i < results.size(); ++i) {
        if (i == weights.size() / 2) {
          const c10::AutoGradMode no_grad(false);
          weights[changed].mul_(0.5);
        }
        run.see_error("backward", [&] { results[i].pow(2).sum().backward(); });
        run.see_grad("weight", weights[i]);
      }
    }
    f.expect_captures(1);
  });
}

TEST_P(Parts, OfOneBackwardAreOneGraph) {
  expect_same([](scenario& run) {
    two_networks networks(run);
    for (int step = 0; step < 6; ++step) {
      const tensor_list results = networks();
      (results[0].sum() + results[1].sum()).backward();
      networks.see_grads("of both");
    }
    networks.f.expect_replays(4, 4);
  });
}

TEST_P(Parts, TwiceThroughOneIsTheStandardError) {
  expect_same([](scenario& run) {
    two_networks networks(run);
    for (int step = 0; step < 5; ++step) {
      const tensor_list results = networks();
      const Tensor loss = results[0].pow(2).sum();
      results[0].sum().backward();
      networks.see_grads("once");
      EXPECT_TRUE(run.see_error("twice", [&] { results[0].sum().backward(); }));
      results[1].sum().backward();
      EXPECT_TRUE(run.see_error("the other twice", [&] { results[1].sum().backward(); }));
      networks.actor.mutable_grad().reset();
      networks.critic.mutable_grad().reset();
    }
  });
}

TEST_P(Parts, KeptByOneBackwardGoBackAgain) {
  expect_same([](scenario& run) {
    two_networks networks(run);
    for (int step = 0; step < 5; ++step) {
      const tensor_list results = networks();
      results[1].sum().backward({}, /*retain_graph=*/true);
      results[0].sum().backward();
      results[1].sum().backward();
      networks.see_grads("thrice");
    }
  });
}

TEST_P(Parts, HooksOfTheOtherAreNotCalled) {
  expect_same([](scenario& run) {
    two_networks networks(run);
    int calls = 0;
    networks.critic.register_hook([&](const Tensor& gradient) {
      ++calls;
      return gradient * 2;
    });
    for (int step = 0; step < 6; ++step) {
      const tensor_list results = networks();
      results[0].sum().backward();
      run.see("calls after the actor's", calls);
      results[1].sum().backward();
      run.see("calls after the critic's", calls);
      networks.see_grads("of both");
    }
    networks.f.expect_replays(4, 8);
  });
}

TEST_P(Parts, ShareALeafAndAreOne) {
  expect_same([](scenario& run) {
    const Tensor weight = run.leaf({8, 8});
    subject f(run, {{"x", {16, 8}}},
              [&](tensor_list& in) { return tensor_list{in[0].matmul(weight).tanh(), in[0].matmul(weight).pow(2)}; });
    for (int step = 0; step < 6; ++step) {
      const tensor_list results = f({run.random({16, 8})});
      (results[0].sum() + results[1].sum()).backward();
      run.see_grad("of the weight", weight);
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(Parts, WrittenArgumentIsOne) {
  expect_same([](scenario& run) {
    const Tensor a = run.leaf({4}), b = run.leaf({4});
    const argument written{"state", {4}, at::kFloat, false, true};
    subject f(run, {written, {"x", {4}}}, [&](tensor_list& in) {
      in[0].mul_(a);
      return tensor_list{(in[1] * b).tanh()};
    });
    for (int step = 0; step < 6; ++step) {
      const Tensor state = run.random({4});
      const tensor_list results = f({state, run.random({4})});
      results[0].sum().backward();
      run.see_grad("b", b);
      state.sum().backward();
      run.see_grad("a", a);
    }
  });
}

TEST_P(Parts, TakeTheSlotUntilEachHasGoneBack) {
  expect_same([](scenario& run) {
    settings one;
    one.slots = 1;
    two_networks networks(run, one);
    for (int step = 0; step < 4; ++step) {
      const tensor_list results = networks();
      results[0].sum().backward();
      if (step == 3) {
        networks.see_grads("before the second call");
        run.see("a second call", networks());
        results[1].sum().backward();
        run.see("a third call", networks());
      } else {
        results[1].sum().backward();
      }
      networks.see_grads("of both");
    }
    networks.f.expect_misses(Miss::Slots, 1);
  });
}

TEST_P(Parts, GoBackInTwoThreads) {
  expect_same([](scenario& run) {
    two_networks networks(run);
    for (int step = 0; step < 20; ++step) {
      const tensor_list results = networks();
      std::thread other([&] { results[0].pow(2).sum().backward(); });
      results[1].sum().backward();
      other.join();
      networks.see_grads("of both");
    }
  });
}

TEST_P(Parts, WriteTheirGradientsInTheGraph) {
  expect_same([](scenario& run) {
    settings in_graph;
    in_graph.grads_in_graph = true;
    two_networks networks(run, in_graph);
    for (int step = 0; step < 8; ++step) {
      const tensor_list results = networks();
      results[0].sum().backward();
      results[1].sum().backward();
      if (step % 2 == 1) {
        networks.see_grads("of two steps");
      }
    }
  });
}

}  // namespace parts_test
