// SPDX-License-Identifier: Apache-2.0
//
// Graphed callables that meet in one program: results that become parameters, buffers, gradients or arguments of others.
// Upstream: test_cudagraph_trees.py keeps results of one graph as inputs of others; tensordict's and Megatron's users do the rest.
#include "support/device_test.h"

#include <torch/autograd.h>
#include <torch/nn.h>

namespace interplay_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Interplay);

const std::vector<argument> batch{{"x", {16, 8}}};
const std::vector<argument> layer_arguments{{"x", {16, 8}}, {"w", {8, 8}, at::kFloat, true}};

tensor_list layer(tensor_list& in) { return {in[0].matmul(in[1]).tanh()}; }

// A callable closes over another one's result, whose memory moves when that one is called again.
TEST_P(Interplay, ResultThatAnotherCallableClosesOver) {
  expect_same([](scenario& run) {
    subject f(run, batch, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
    for (int step = 0; step < 3; ++step) {
      f({run.random({16, 8})});
    }
    const Tensor state = f({run.random({16, 8})})[0];
    subject g(run, batch, [&](tensor_list& in) { return tensor_list{in[0] * state}; });
    for (int step = 0; step < 12; ++step) {
      if (step == 5 || step == 9) {
        run.see("another", f({run.random({16, 8})}));
      }
      run.see("y", g({run.random({16, 8})}));
    }
    run.see("state", state);
  });
}

// The other callable also writes it.
TEST_P(Interplay, ResultThatAnotherCallableWrites) {
  expect_same([](scenario& run) {
    subject f(run, batch, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
    for (int step = 0; step < 3; ++step) {
      f({run.random({16, 8})});
    }
    const Tensor state = f({run.random({16, 8})})[0];
    subject g(run, batch, [&](tensor_list& in) {
      state.add_(in[0]);
      return tensor_list{};
    });
    for (int step = 0; step < 12; ++step) {
      if (step == 5 || step == 9) {
        run.see("another", f({run.random({16, 8})}));
      }
      g({run.random({16, 8})});
      run.see("state", state);
    }
  });
}

// A parameter is given a result's memory.
TEST_P(Interplay, ParameterInAResultsMemory) {
  expect_same([](scenario& run) {
    subject update(run, {{"w", {8, 8}}}, [](tensor_list& in) { return tensor_list{in[0] * 0.9 + 0.01}; });
    const Tensor w = run.leaf({8, 8});
    subject f(run, batch, [&](tensor_list& in) { return tensor_list{in[0].matmul(w).tanh()}; });
    for (int step = 0; step < 10; ++step) {
      const Tensor y = f({run.random({16, 8})})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("w.grad", w);
      if (step % 3 == 2) {
        w.set_data(update({w.detach()})[0]);
      }
      run.see("w", w);
    }
  });
}

// A result is the next call's argument, and is written there.
TEST_P(Interplay, OwnResultWrittenByTheNextCall) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}, at::kFloat, false, /*inplace=*/true}}, [](tensor_list& in) {
      in[0].mul_(2);
      return tensor_list{in[0].sin(), in[0].cos()};
    });
    Tensor state = run.random({16, 8});
    tensor_list held;
    for (int step = 0; step < 10; ++step) {
      const tensor_list y = f({state});
      run.see("written", state);
      held.push_back(y[1]);
      state = y[0];
    }
    run.see("held", held);
  });
}

// The gradient that a graphed backward leaves is what a graphed optimizer step closes over.
TEST_P(Interplay, OptimizerStepOverAccumulatedGradients) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 8}), average = at::zeros({8, 8}, run.options());
    subject f(run, layer_arguments, layer);
    std::optional<subject> step;
    for (int i = 0; i < 12; ++i) {
      for (int micro_batch = 0; micro_batch < 2; ++micro_batch) {
        f({run.random({16, 8}), w})[0].pow(2).sum().backward();
      }
      if (!step) {
        step.emplace(run, std::vector<argument>{}, [&](tensor_list&) {
          const c10::AutoGradMode no_grad(false);
          average.mul_(0.9).add_(w.grad());
          w.sub_(average, 0.01);
          w.grad().zero_();
          return tensor_list{};
        });
      }
      (*step)({});
      run.see("w", w);
      run.see("w.grad", w.grad());
    }
  });
}

// The same with the parameter and its gradient as arguments.
TEST_P(Interplay, OptimizerStepOverArguments) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 8});
    subject f(run, layer_arguments, layer);
    subject step(run, {{"w", {8, 8}, at::kFloat, false, /*inplace=*/true}, {"gradient", {8, 8}, at::kFloat, false, /*inplace=*/true}},
                 [](tensor_list& in) {
                   in[0].sub_(in[1], 0.1);
                   in[1].zero_();
                   return tensor_list{};
                 });
    for (int i = 0; i < 10; ++i) {
      f({run.random({16, 8}), w})[0].pow(2).sum().backward();
      step({w.detach(), w.grad()});
      run.see("w", w);
      run.see("w.grad", w.grad());
    }
    f.expect_replays(8, 8);
    step.expect_replays(8);
  });
}

// A target network follows by a graphed update, and is used by a graphed callable of its own.
TEST_P(Interplay, TargetNetworkThatFollows) {
  expect_same([](scenario& run) {
    torch::nn::Linear online(8, 4), target(8, 4);
    online->to(run.device());
    target->to(run.device());
    subject q(run, batch, [&](tensor_list& in) { return tensor_list{online(in[0])}; }, {}, online.ptr().get());
    subject future(
        run, batch, [&](tensor_list& in) { return tensor_list{std::get<0>(target(in[0]).max(1, true)).detach()}; }, {}, target.ptr().get());
    subject follow(run, {}, [&](tensor_list&) {
      const c10::AutoGradMode no_grad(false);
      at::_foreach_lerp_(target->parameters(), online->parameters(), 0.1);
      return tensor_list{};
    });
    for (int step = 0; step < 9; ++step) {
      const Tensor error = q({run.random({16, 8})})[0] - future({run.random({16, 8})})[0];
      error.pow(2).mean().backward();
      for (const auto& parameter : online->parameters()) {
        run.see("gradient", parameter.grad());
        const c10::AutoGradMode no_grad(false);
        parameter.sub_(parameter.grad(), 0.1);
        parameter.mutable_grad() = Tensor();
      }
      follow({});
      run.see("target", target->parameters());
    }
    q.expect_replays(7, 7);
    future.expect_replays(7);
    follow.expect_replays(7);
  });
}

// A buffer of experience, written at an index and read at indices.
TEST_P(Interplay, BufferWrittenAndSampled) {
  expect_same([](scenario& run) {
    const Tensor memory = at::zeros({32, 8}, run.options());
    subject append(run, {{"index", {4}, at::kLong}, {"rows", {4, 8}}}, [&](tensor_list& in) {
      memory.index_copy_(0, in[0], in[1]);
      return tensor_list{};
    });
    subject sample(run, {},
                   [&](tensor_list&) { return tensor_list{memory.index_select(0, at::randint(32, {6}, run.options(at::kLong)))}; });
    tensor_list samples;
    for (int step = 0; step < 10; ++step) {
      append({at::arange(4 * (step % 8), 4 * (step % 8) + 4, run.options(at::kLong)), run.random({4, 8})});
      samples.push_back(sample({})[0]);
    }
    run.see("samples", samples);
    run.see("memory", memory);
    append.expect_replays(8);
  });
}

// A recurrent state goes from call to call, with a backward through every third.
TEST_P(Interplay, TruncatedBackwardThroughTime) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {4, 8}}, {"h", {4, 8}, at::kFloat, true}, {"w", {8, 8}, at::kFloat, true}}, [](tensor_list& in) {
      const Tensor h = (in[0] + in[1].matmul(in[2])).tanh();
      return tensor_list{h.sum(), h};
    });
    const Tensor w = run.leaf({8, 8});
    Tensor h = at::zeros({4, 8}, run.options()).requires_grad_();
    for (int chunk = 0; chunk < 5; ++chunk) {
      Tensor loss = at::zeros({}, run.options());
      for (int time = 0; time < 3; ++time) {
        const tensor_list y = f({run.random({4, 8}), h, w});
        loss = loss + y[0];
        h = y[1];
      }
      run.see("loss", loss);
      loss.backward();
      run.see_grad("w.grad", w);
      h = h.detach().requires_grad_();
    }
    run.see("h", h);
  });
}

// Training and evaluation of one network by two callables in turn, batch normalisation's statistics among what they share.
TEST_P(Interplay, TwoCallablesShareOneModule) {
  expect_same([](scenario& run) {
    torch::nn::Sequential net(torch::nn::Linear(8, 8), torch::nn::BatchNorm1d(8), torch::nn::Dropout(0.3));
    net->to(run.device());
    const auto body = [&](tensor_list& in) { return tensor_list{net->forward(in[0])}; };
    subject train(run, batch, body, {}, net.ptr().get()), evaluate(run, batch, body, {}, net.ptr().get());
    for (int step = 0; step < 10; ++step) {
      net->train();
      train({run.random({16, 8})})[0].pow(2).sum().backward();
      for (const auto& parameter : net->named_parameters()) {
        run.see_grad(parameter.key(), parameter.value());
      }
      net->eval();
      const c10::AutoGradMode no_grad(false);
      run.see("evaluated", evaluate({run.random({16, 8})}));
    }
    run.see("statistics", net->buffers());
    train.expect_replays(8, 8);
    evaluate.expect_replays(8);
  });
}

// Five layers, each a callable whose result shows the graph's memory.
TEST_P(Interplay, ChainOfAliasedResults) {
  expect_same([](scenario& run) {
    tensor_list weights;
    std::vector<std::unique_ptr<subject>> layers;
    for (int i = 0; i < 5; ++i) {
      weights.push_back(run.leaf({8, 8}));
      layers.push_back(std::make_unique<subject>(run,
                                                 std::vector<argument>{{"x", {16, 8}, at::kFloat, true}, {"w", {8, 8}, at::kFloat, true}},
                                                 layer, settings{2, OutputPolicy::Alias}));
    }
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({16, 8});
      Tensor y = x;
      for (std::size_t i = 0; i < 5; ++i) {
        y = (*layers[i])({y, weights[i]})[0];
      }
      run.see("y", y);
      y.pow(2).sum().backward();
      run.see_grad("x.grad", x);
      for (const auto& w : weights) {
        run.see_grad("w.grad", w);
      }
    }
    layers[2]->expect_replays(4, 4);
  });
}

// A copy of a callable's results into tensors from outside, between calls, by eager.
TEST_P(Interplay, ResultsCopiedAndAddedByEagerBetweenCalls) {
  expect_same([](scenario& run) {
    subject f(run, batch, [](tensor_list& in) { return tensor_list{in[0].tanh(), in[0].sum(0)}; });
    const Tensor total = at::zeros({16, 8}, run.options());
    Tensor latest;
    for (int step = 0; step < 10; ++step) {
      const tensor_list y = f({run.random({16, 8})});
      total.add_(y[0]);
      latest = y[1];
      if (step % 2 == 0) {
        y[0].zero_();
      }
    }
    run.see("total", total);
    run.see("latest", latest);
  });
}

// By variable_data, which shares memory and nothing else.
TEST_P(Interplay, ParameterSteppedInsideBehindAutogradsBack) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 8});
    subject f(run, batch, [&](tensor_list& in) {
      const Tensor loss = in[0].matmul(w).pow(2).sum();
      w.variable_data().sub_(torch::autograd::grad({loss}, {w})[0], 0.01);
      return tensor_list{loss.detach()};
    });
    for (int step = 0; step < 7; ++step) {
      run.see("loss", f({run.random({16, 8})}));
      run.see("w", w);
    }
  });
}

// A callable reads w.grad(), which is another tensor before every call.
TEST_P(Interplay, GradientRebornBeforeEveryCall) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8});
    w.mutable_grad() = run.random({8});
    subject f(run, {}, [&](tensor_list&) {
      const c10::AutoGradMode no_grad(false);
      w.sub_(w.grad(), 0.1);
      return tensor_list{};
    });
    for (int step = 0; step < 8; ++step) {
      w.mutable_grad() = run.random({8});
      f({});
      run.see("w", w);
    }
  });
}

}  // namespace interplay_test
