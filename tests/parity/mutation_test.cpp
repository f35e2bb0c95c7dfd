// SPDX-License-Identifier: Apache-2.0
//
// Callables that write: arguments, buffers, parameters, other callables' results. Upstream: test_cudagraph_trees.py.
#include "support/device_test.h"

#include <torch/nn.h>

namespace mutation_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Mutation);

const std::vector<argument> read{{"x", {10}}};
const std::vector<argument> written{{"x", {10}, at::kFloat, false, /*inplace=*/true}};

tensor_list add_two(tensor_list& in) { return {in[0].add_(2)}; }

// test_mutation_on_inp: what is not declared runs eagerly, and says which argument and operator.
TEST_P(Mutation, UndeclaredRunsPlainly) {
  expect_same([](scenario& run) {
    subject f(run, read, add_two);
    for (int step = 0; step < 6; ++step) {
      const Tensor x = at::ones({10}, run.options());
      const Tensor y = f({x})[0];
      EXPECT_TRUE(y.is_same(x));
      run.see("x", x);
    }
    f.expect_captures(0);
  });
  EXPECT_EQ(warnings_.count({"'x'", "inplace", "aten::add_"}), 1U) << warnings_.all();
}

// test_mutation_cudagraph_managed_tensor_warn_only_once: one warning, however many calls.
TEST_P(Mutation, UndeclaredIsToldOnce) {
  scenario run(device(), true);
  subject f(run, read, [](tensor_list& in) { return tensor_list{in[0] + 1}; }), undeclared(run, read, add_two);
  for (int step = 0; step < 10; ++step) {
    Tensor x = step % 2 == 0 ? f({run.random({10})})[0] : run.random({10});
    undeclared({x});
  }
  EXPECT_EQ(warnings_.count({"capture failed", "'x'"}), 1U) << warnings_.all();
}

// test_mutation_cudagraph_managed_tensors: what is declared is graphed, for another callable's result as for a tensor from elsewhere.
TEST_P(Mutation, DeclaredIsGraphed) {
  expect_same([](scenario& run) {
    subject f(run, read, [](tensor_list& in) { return tensor_list{in[0] + 1}; }), declared(run, written, add_two);
    for (int step = 0; step < 9; ++step) {
      const Tensor inp = run.random({10});
      Tensor x = f({inp})[0];
      if (step % 3 == 2) {
        x = x.clone();
      }
      EXPECT_TRUE(declared({x})[0].is_same(x));
      run.see("x", x);
      run.see("inp", inp);
    }
    declared.expect_replays(7);
    declared.expect_captures(1);
  });
}

// test_mutation_cudagraph_managed_tensors_config: the result that is written is still what its own callable returned to another holder.
TEST_P(Mutation, OfAnotherCallablesResultThatIsHeldTwice) {
  expect_same([](scenario& run) {
    subject f(run, read, [](tensor_list& in) { return tensor_list{in[0] + 1, in[0] * 2}; }), declared(run, written, add_two);
    for (int step = 0; step < 8; ++step) {
      const tensor_list y = f({run.random({10})});
      const Tensor view = y[0].slice(0, 2, 5);
      declared({y[0]});
      run.see("view", view);
      run.see("y", y);
    }
  });
}

// test_mutation_cudagraph_managed_tensor_warn: fee(inp(), foo(inp())), where foo writes what it gets.
TEST_P(Mutation, InTheArgumentOfAnotherCall) {
  expect_same([](scenario& run) {
    subject foo(run, written, [](tensor_list& in) { return tensor_list{in[0].add_(1)}; });
    subject fee(run, {{"y", {10}}, {"z", {10}}}, [](tensor_list& in) { return tensor_list{in[1] + 3}; });
    for (int step = 0; step < 6; ++step) {
      run.see("fee", fee({run.random({10}), foo({run.random({10})})[0]}));
    }
    foo.expect_replays(4);
    fee.expect_replays(4);
  });
}

// test_mutation_on_inp: buffers that are written do not hinder the graph.
TEST_P(Mutation, OfABuffer) {
  expect_same([](scenario& run) {
    struct Module : torch::nn::Module {
      Tensor buffer = register_buffer("buffer", at::ones({10}));
    };
    auto module = std::make_shared<Module>();
    module->to(run.device());
    subject f(
        run, read,
        [&](tensor_list& in) {
          module->buffer.add_(in[0]);
          return tensor_list{module->buffer + in[0]};
        },
        {}, module.get());
    for (int step = 0; step < 7; ++step) {
      run.see("y", f({run.random({10})}));
      run.see("buffer", module->buffer);
    }
    f.expect_replays(5);
    f.expect_captures(1);
  });
}

// test_tensor_constant_mutation: a counter that only the callable knows.
TEST_P(Mutation, OfAConstant) {
  scenario run(device(), true);
  const Tensor constant = at::ones({2, 3}, run.options());
  subject f(run, {{"x", {2, 3}}}, [&](tensor_list& in) {
    constant.add_(1);
    return tensor_list{in[0] + constant};
  });
  for (int step = 1; step <= 8; ++step) {
    const Tensor y = f({at::zeros({2, 3}, run.options())})[0];
    EXPECT_TRUE(same_bits(y, at::full({2, 3}, 1.0 + step, run.options()))) << "step " << step;
  }
  f.expect_replays(6);
}

// test_mutation_reinplaced: an operator writes its result into an argument of another type.
TEST_P(Mutation, ResultWrittenIntoAnArgumentOfAnotherType) {
  expect_same([](scenario& run) {
    const std::vector<int64_t> shape{1, 2, 1, 4, 9, 7};
    subject f(run, {{"input", shape}, {"other", shape}, {"out", shape, at::kHalf, false, /*inplace=*/true}},
              [](tensor_list& in) { return tensor_list{at::logical_xor_out(in[2], in[0], in[1])}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor out = at::rand(shape, run.options(at::kHalf));
      const auto some = [&] { return (at::rand(shape, run.options()) > 0.5).to(at::kFloat); };
      EXPECT_TRUE(f({some(), some(), out})[0].is_same(out));
      run.see("out", out);
    }
    f.expect_replays(4);
  });
}

// test_graph_partition_cpu_scalar_mutation: copied over whole.
TEST_P(Mutation, ArgumentCopiedOver) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {}, at::kLong, false, /*inplace=*/true}, {"y", {}, at::kLong}},
              [](tensor_list& in) { return tensor_list{in[0].copy_(in[1])}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = at::full({}, step, run.options(at::kLong)), y = at::full({}, 2 * step, run.options(at::kLong));
      f({x, y});
      run.see("x", x);
      run.see("y", y);
    }
    f.expect_replays(4);
  });
}

// Values are put and scattered into an argument, by indices that are new in each call.
TEST_P(Mutation, ScatteredIntoAnArgument) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {10}, at::kFloat, false, /*inplace=*/true}, {"index", {4}, at::kLong}, {"values", {4}}}, [](tensor_list& in) {
      in[0].index_put_({in[1]}, in[2]);
      return tensor_list{in[0].scatter_add_(0, in[1], in[2])};
    });
    const Tensor x = run.random({10});
    for (int step = 0; step < 7; ++step) {
      f({x, at::randperm(10, run.options(at::kLong)).slice(0, 0, 4), run.random({4})});
      run.see("x", x);
    }
    f.expect_replays(5);
  });
}

// A view of a buffer is written, the buffer and another view of it are read.
TEST_P(Mutation, OfAViewOfABuffer) {
  expect_same([](scenario& run) {
    const Tensor buffer = run.random({4, 10}), row = buffer[1], column = buffer.select(1, 3);
    subject f(run, read, [&](tensor_list& in) {
      row.mul_(0.5).add_(in[0]);
      return tensor_list{buffer.sum(), column * 2};
    });
    for (int step = 0; step < 7; ++step) {
      run.see("y", f({run.random({10})}));
      run.see("buffer", buffer);
    }
  });
}

// One callable writes what another one reads, both over the same tensor from outside.
TEST_P(Mutation, WrittenByOneCallableAndReadByAnother) {
  expect_same([](scenario& run) {
    const Tensor shared = at::zeros({10}, run.options());
    subject writer(run, read, [&](tensor_list& in) {
      shared.add_(in[0]);
      return tensor_list{};
    });
    subject reader(run, read, [&](tensor_list& in) { return tensor_list{in[0] * shared}; });
    for (int step = 0; step < 8; ++step) {
      writer({run.random({10})});
      run.see("y", reader({run.random({10})}));
    }
    writer.expect_replays(6);
    reader.expect_replays(6);
  });
}

// A parameter is stepped inside the callable that uses it, as an optimizer without state would.
TEST_P(Mutation, ParameterSteppedInside) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({10});
    subject f(run, read, [&](tensor_list& in) {
      const Tensor loss = (in[0] * w).pow(2).sum();
      const Tensor gradient = torch::autograd::grad({loss}, {w})[0];
      const c10::AutoGradMode no_grad(false);
      w.sub_(gradient, 0.01);
      return tensor_list{loss.detach(), gradient};
    });
    for (int step = 0; step < 8; ++step) {
      run.see("y", f({run.random({10})}));
      run.see("w", w);
      EXPECT_FALSE(w.grad().defined());
    }
  });
}

TEST_P(Mutation, BufferGivenOtherMemoryInside) {
  expect_same([](scenario& run) {
    const Tensor buffer = run.random({16, 8});
    subject f(run, {{"x", {16, 8}}}, [&](tensor_list& in) {
      buffer.set_(in[0] * 2);
      return tensor_list{buffer + 1};
    });
    for (int step = 0; step < 7; ++step) {
      run.see("y", f({run.random({16, 8})}));
      run.see("buffer", buffer);
    }
  });
}

}  // namespace mutation_test
