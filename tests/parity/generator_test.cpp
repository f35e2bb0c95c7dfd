// SPDX-License-Identifier: Apache-2.0
//
// Generators: seeds, states that are taken and set back, generators of the caller's own, calls in flight that draw.
#include "support/device_test.h"

#include <graphed/error.h>

namespace generator_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(GeneratorState);

const std::vector<argument> batch{{"x", {16, 8}}};
const std::vector<argument> layer_arguments{{"x", {16, 8}}, {"w", {8, 8}, at::kFloat, true}};

tensor_list noisy_layer(tensor_list& in) { return {at::dropout(in[0].matmul(in[1]), 0.4, /*train=*/true).tanh()}; }

at::Generator default_generator(const scenario& run) { return at::globalContext().defaultGenerator(run.device()); }

Tensor state_of(at::Generator generator) {
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

void set_state_of(at::Generator generator, const Tensor& state) {
  const std::lock_guard lock(generator.mutex());
  generator.set_state(state);
}

// tensordict, TestCudaGraphs.test_cudagraphs_random.
TEST_P(GeneratorState, EveryCallDrawsAnew) {
  expect_same([](scenario& run) {
    subject f(run, batch, [](tensor_list& in) { return tensor_list{in[0] + at::randn_like(in[0])}; });
    const Tensor x = run.random({16, 8});
    Tensor previous = f({x})[0];
    for (int step = 0; step < 9; ++step) {
      const Tensor y = f({x})[0];
      EXPECT_FALSE(same_bits(y, previous)) << "step " << step;
      run.see("y", y);
      previous = y;
    }
    f.expect_replays(8);
  });
}

// test_cudagraph_trees.py, test_rng_trees and test_rng_non_trees: the same seed gives the same three results again.
TEST_P(GeneratorState, SameSeedGivesTheSameSequence) {
  expect_same([](scenario& run) {
    subject f(run, batch, [](tensor_list& in) { return tensor_list{in[0] * at::rand_like(in[0])}; });
    const Tensor x = run.random({16, 8});
    std::vector<tensor_list> rounds(4);
    for (auto& round : rounds) {
      at::manual_seed(0);
      for (int call = 0; call < 3; ++call) {
        round.push_back(f({x})[0]);
      }
      run.see("round", round);
    }
    for (std::size_t call = 0; call < 3; ++call) {
      EXPECT_TRUE(same_bits(rounds.front()[call], rounds.back()[call])) << "call " << call;
    }
  });
}

// test_cudagraph_trees.py, check_rng: nothing goes in, random numbers come out.
TEST_P(GeneratorState, WithoutArguments) {
  expect_same([](scenario& run) {
    subject f(run, {}, [&](tensor_list&) { return tensor_list{at::rand({20}, run.options())}; });
    for (int step = 0; step < 7; ++step) {
      run.see("y", f({}));
      run.see("between", run.random({3}));
    }
  });
}

// test_cuda.py, test_graphsafe_set_get_rng_state: a state that is set back is drawn from again, and offsets agree with eager's.
TEST_P(GeneratorState, TakenAndSetBack) {
  expect_same([](scenario& run) {
    subject f(run, batch, [](tensor_list& in) { return tensor_list{at::dropout(in[0], 0.5, true)}; });
    const Tensor x = run.random({16, 8}), old_state = state_of(default_generator(run));
    run.random({5});
    const Tensor new_state = state_of(default_generator(run));
    for (int step = 0; step < 8; ++step) {
      set_state_of(default_generator(run), step % 3 == 0 ? new_state : old_state);
      run.see("first", f({x}));
      run.see("second", f({x}));
      run.see("state", state_of(default_generator(run)));
    }
    f.expect_replays(14);
  });
}

// test_cuda.py, test_graphsafe_set_get_rng_state: a state of its own beside the default one.
TEST_P(GeneratorState, OfTheCallersOwn) {
  expect_same([](scenario& run) {
    at::Generator own = default_generator(run).clone();
    own.set_current_seed(99);
    subject f(run, batch, [&](tensor_list& in) { return tensor_list{in[0] + at::rand(in[0].sizes(), own, in[0].options())}; });
    for (int step = 0; step < 8; ++step) {
      run.see("y", f({run.random({16, 8})}));
      run.see("state", state_of(own));
    }
  });
}

// test_cuda.py, test_graphsafe_set_get_rng_state: the default generator and another one in one call.
TEST_P(GeneratorState, OfTheCallersOwnBesideTheDefaultOne) {
  expect_same([](scenario& run) {
    at::Generator own = default_generator(run).clone();
    own.set_current_seed(99);
    subject f(run, batch, [&](tensor_list& in) {
      const Tensor uniform = at::rand(in[0].sizes(), own, in[0].options());
      return tensor_list{at::dropout(in[0], 0.5, true) + uniform, at::randn_like(in[0])};
    });
    for (int step = 0; step < 8; ++step) {
      run.see("y", f({run.random({16, 8})}));
      run.see("state", state_of(own));
    }
  });
}

// test_cuda.py, test_memory_stats_of_multiple_generators_and_graphs: ten graphs that draw hold nothing once they are gone.
TEST_P(GeneratorState, TenCallablesShareOne) {
  expect_same([](scenario& run) {
    std::vector<std::unique_ptr<subject>> all;
    for (int i = 0; i < 10; ++i) {
      all.push_back(
          std::make_unique<subject>(run, batch, [i](tensor_list& in) { return tensor_list{at::dropout(in[0], 0.1 * (i % 5 + 1), true)}; }));
    }
    for (int step = 0; step < 5; ++step) {
      for (const auto& f : all) {
        run.see("y", (*f)({run.random({16, 8})}));
      }
    }
    for (const auto& f : all) {
      f->expect_replays(3);
      f->reset();
      EXPECT_EQ(f->stats().bytes_held, 0U) << f->stats();
    }
  });
}

// test_cudagraph_trees.py, TestSAC.test_uneven_forward_backward: three forwards in flight, their backwards in each of the six orders.
TEST_P(GeneratorState, BackwardsInEveryOrder) {
  expect_same([](scenario& run) {
    subject f(run, layer_arguments, noisy_layer);
    const Tensor w = run.leaf({8, 8});
    f({run.random({16, 8}), w});
    f({run.random({16, 8}), w});
    std::vector<std::size_t> order{0, 1, 2};
    do {
      tensor_list results;
      for (int i = 0; i < 3; ++i) {
        results.push_back(f({run.random({16, 8}), w})[0]);
      }
      run.see("results", results);
      for (const auto i : order) {
        results[i].pow(2).sum().backward();
        run.see_grad("w.grad", w);
      }
    } while (std::next_permutation(order.begin(), order.end()));
  });
}

// test_cuda.py, test_graph_manual_seed_mismatch_raises: a seed inside, which a replay would not set, and eager does.
TEST_P(GeneratorState, SeededInside) {
  expect_same([](scenario& run) {
    subject f(run, batch, [](tensor_list& in) {
      at::manual_seed(5);
      return tensor_list{in[0] + at::rand_like(in[0])};
    });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({16, 8})}));
      run.see("random", run.random({2}));
    }
    f.expect_captures(0);
  });
  EXPECT_EQ(warnings_.count({"it sets the state of a random generator"}), 1U) << warnings_.all();
}

// A state that is set after the last draw.
TEST_P(GeneratorState, SetBackInside) {
  expect_same([](scenario& run) {
    subject f(run, batch, [&run](tensor_list& in) {
      const Tensor before = state_of(default_generator(run));
      const Tensor noise = at::rand_like(in[0]);
      set_state_of(default_generator(run), before);
      return tensor_list{in[0] + noise};
    });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({16, 8})}));
      run.see("random", run.random({2}));
    }
    f.expect_captures(0);
  });
}

/// Dropout whose backward draws the forward's numbers again.
struct CheckpointedDropout : torch::autograd::Function<CheckpointedDropout> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x) {
    context->saved_data["state"] = state_of(at::globalContext().defaultGenerator(x.device()));
    context->save_for_backward({x});
    return at::dropout(x, 0.4, /*train=*/true).tanh();
  }
  static tensor_list backward(torch::autograd::AutogradContext* context, const tensor_list& gradients) {
    const Tensor x = context->get_saved_variables()[0].detach().requires_grad_();
    const at::Generator generator = at::globalContext().defaultGenerator(x.device());
    const Tensor now = state_of(generator);
    set_state_of(generator, context->saved_data["state"].toTensor());
    const c10::AutoGradMode gradients_on(true);
    const Tensor y = at::dropout(x, 0.4, /*train=*/true).tanh();
    set_state_of(generator, now);
    return torch::autograd::grad({y}, {x}, gradients);
  }
};

tensor_list checkpointed(tensor_list& in) { return {CheckpointedDropout::apply(in[0].matmul(in[1]))}; }

// test_cuda.py, test_graph_checkpoint_preserve_rng_state, and test_cudagraph_trees.py, TestSAC.test_simple. In a capture on CUDA the
// generator's state is the capture's: the first backward says so, and the calls after it are eager.
TEST_P(GeneratorState, CheckpointDrawsTheSameInItsBackward) {
  if (!device().is_cpu()) {
    scenario run(device(), true);
    subject f(run, layer_arguments, checkpointed);
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({16, 8}), w})[0];
      if (step == 2) {
        EXPECT_THROW(y.sum().backward(), CaptureError);
      } else {
        y.sum().backward();
      }
    }
    f.expect_replays(1);
    return;
  }
  expect_same([](scenario& run) {
    subject f(run, layer_arguments, checkpointed);
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({16, 8}), w})[0];
      run.see("y", y);
      run.see("random", run.random({2}));
      y.sum().backward();
      run.see_grad("w.grad", w);
    }
  });
}

// Its first backward is not that of the captured call: an error, where the captured state would be another call's, and eager calls then.
TEST_P(GeneratorState, CheckpointWhoseFirstBackwardComesLater) {
  const auto program = [](scenario& run) {
    subject f(run, layer_arguments, checkpointed);
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 5; ++step) {
      f({run.random({16, 8}), w});
    }
    const Tensor y = f({run.random({16, 8}), w})[0];
    bool has_thrown = false;
    try {
      y.sum().backward();
      run.see_grad("w.grad", w);
    } catch (const CaptureError&) {
      has_thrown = true;
      w.mutable_grad().reset();
    }
    for (int step = 0; step < 3; ++step) {
      const Tensor later = f({run.random({16, 8}), w})[0];
      run.see("later", later);
      later.sum().backward();
      run.see_grad("w.grad", w);
    }
    return has_thrown;
  };
  scenario run(device(), true);
  EXPECT_TRUE(program(run));
}

// test_cudagraph_trees.py, TestSAC.test_cudagraph_uneven_forward_backward: more forwards than backwards.
TEST_P(GeneratorState, MoreForwardsThanBackwards) {
  expect_same([](scenario& run) {
    subject f(run, layer_arguments, noisy_layer);
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      for (int unused = 0; unused < step % 4; ++unused) {
        run.see("unused", f({run.random({16, 8}), w}));
      }
      f({run.random({16, 8}), w})[0].sum().backward();
      run.see_grad("w.grad", w);
      run.see("permutation", at::randperm(10, run.options(at::kLong)));
    }
  });
}

// test_cuda.py, test_graph_cudnn_dropout: a recurrent network with dropout, graphed and eager in turn. The library cuDNN keeps the state of
// its dropout for the whole process. So on a GPU no two runs are the same, and the test only sees that all calls work.
TEST_P(GeneratorState, RecurrentNetworkGraphedAndPlainInTurn) {
  const auto program = [](scenario& run) {
    torch::nn::LSTM lstm(torch::nn::LSTMOptions(8, 8).num_layers(2).dropout(0.5));
    lstm->to(run.device());
    const auto forward = [&](const Tensor& x) { return std::get<0>(lstm(x)); };
    subject f(run, {{"x", {5, 3, 8}}}, [&](tensor_list& in) { return tensor_list{forward(in[0])}; }, {}, lstm.get());
    for (int step = 0; step < 6; ++step) {
      const tensor_list y{f({run.random({5, 3, 8})})[0], forward(run.random({5, 3, 8}))};
      EXPECT_TRUE(y[0].isfinite().all().item<bool>() && y[1].isfinite().all().item<bool>());
      run.see("y", y);
    }
  };
  if (device().is_cpu()) {
    expect_same(program);
  } else {
    scenario run(device(), true);
    program(run);
  }
}

}  // namespace generator_test
