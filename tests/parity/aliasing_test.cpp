// SPDX-License-Identifier: Apache-2.0
//
// Results that share memory with arguments, parameters, buffers or one another. Upstream: test_cudagraph_trees.py.
#include "support/device_test.h"

#include <torch/nn.h>

namespace aliasing_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Aliasing);

const std::vector<argument> square{{"x", {10, 10}}};

// test_aliasing_static_ref: the parameter's transpose and some of its rows come back beside a product.
TEST_P(Aliasing, ViewsOfAParameterBesideAProduct) {
  expect_same([](scenario& run) {
    torch::nn::Linear net(10, 10);
    net->to(run.device());
    subject f(
        run, {{"x", {10, 10}, at::kFloat, true}},
        [&](tensor_list& in) { return tensor_list{net->weight.t().matmul(in[0]), net->weight.t(), net->weight.slice(0, 0, 4)}; }, {},
        net.ptr().get());
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({10, 10});
      const tensor_list y = f({x});
      EXPECT_TRUE(y[1].is_alias_of(net->weight));
      EXPECT_TRUE(y[2].is_alias_of(net->weight));
      run.see("y", y);
      y[0].slice(0, 2).sum().backward();
      run.see_grad("x.grad", x);
      run.see_grad("weight.grad", net->weight);
    }
  });
}

// test_aliasing_static_ref: a callable that only takes a view, of another one's result, and gradients through both.
TEST_P(Aliasing, CallableThatOnlyTakesAView) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({10, 10});
    subject f(run, square, [&](tensor_list& in) { return tensor_list{w.t().matmul(in[0])}; });
    subject rows(run, {{"x", {10, 10}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].slice(0, 2)}; });
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({10, 10})})[0], part = rows({y})[0];
      EXPECT_TRUE(part.is_alias_of(y));
      run.see("part", part);
      part.pow(2).sum().backward();
      run.see_grad("w.grad", w);
    }
  });
}

// test_alias_of_parameter: a row of the parameter, the parameter, and a sum.
TEST_P(Aliasing, ParameterAndItsRowAsResults) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({10, 10});
    subject f(run, square, [&](tensor_list& in) { return tensor_list{w[0], w, w + in[0]}; });
    for (int step = 0; step < 6; ++step) {
      const tensor_list y = f({run.random({10, 10})});
      EXPECT_TRUE(y[0].is_alias_of(w));
      EXPECT_TRUE(y[1].is_alias_of(w));
      EXPECT_FALSE(y[2].is_alias_of(w));
      run.see("y", y);
      (y[0].sum() + y[1].pow(2).sum() + y[2].sum()).backward();
      run.see_grad("w.grad", w);
    }
  });
}

// test_constant_output: the same without gradients.
TEST_P(Aliasing, ConstantResults) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({10});
    subject f(run, {{"x", {1}}}, [&](tensor_list& in) { return tensor_list{w, w.slice(0, 0, 2), in[0] + 2}; });
    const c10::AutoGradMode no_grad(false);
    for (int step = 0; step < 6; ++step) {
      const tensor_list y = f({run.random({1})});
      EXPECT_TRUE(y[0].is_alias_of(w));
      EXPECT_TRUE(y[1].is_alias_of(w));
      run.see("y", y);
      w.mul_(2);
      run.see("after a step", y);
    }
  });
}

// test_aliased_static_parameter: a row of an argument, at an address that is the same each time.
TEST_P(Aliasing, RowOfAnArgumentThatStaysWhereItIs) {
  expect_same([](scenario& run) {
    subject row(run, square, [](tensor_list& in) { return tensor_list{in[0][0]}; });
    const Tensor x = run.random({10, 10});
    for (int step = 0; step < 6; ++step) {
      const Tensor y = row({x})[0];
      EXPECT_TRUE(y.is_alias_of(x));
      x.add_(1);
      run.see("y", y);
    }
  });
}

// test_output_alias: the argument and a row of it, beside work whose result is not used.
TEST_P(Aliasing, ArgumentAndItsRowAsResults) {
  expect_same([](scenario& run) {
    subject f(run, square, [](tensor_list& in) {
      const Tensor unused = in[0] + in[0];
      return tensor_list{in[0], in[0][0]};
    });
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.random({10, 10});
      const tensor_list y = f({x});
      EXPECT_TRUE(y[0].is_alias_of(x));
      EXPECT_TRUE(y[0].is_alias_of(y[1]));
      run.see("y", y);
    }
  });
}

// test_checkpointing_resets_persistent_refs: a row of another callable's result, which dies before the result or after it.
TEST_P(Aliasing, RowOfAnotherCallablesResultDiesFirstOrLast) {
  expect_same([](scenario& run) {
    subject f(run, square, [](tensor_list& in) { return tensor_list{in[0].matmul(in[0])}; });
    subject g(run, square, [](tensor_list& in) { return tensor_list{in[0][0], in[0].matmul(in[0])}; });
    for (int step = 0; step < 8; ++step) {
      Tensor y = f({run.random({10, 10})})[0];
      tensor_list z = g({y});
      EXPECT_TRUE(z[0].is_alias_of(y));
      (step % 2 == 0 ? z[0] : y) = Tensor();
      f({run.random({10, 10})});
      run.see("y", y);
      run.see("z", z);
    }
  });
}

// test_aliased_storage_single_weakref, but for the index that is a tensor: views made in two steps of one result.
TEST_P(Aliasing, ViewsOfViewsAreViews) {
  expect_same([](scenario& run) {
    subject f(run, square, [](tensor_list& in) {
      const Tensor y = in[0] * 2, part = y.slice(0, 4).t();
      return tensor_list{y, part, part[1], part.unfold(0, 2, 2)};
    });
    for (int step = 0; step < 6; ++step) {
      const tensor_list y = f({run.random({10, 10})});
      y[0].add_(1);
      run.see("y", y);
    }
    f.expect_replays(4);
  });
}

// A buffer that the callable writes and returns: test_mutation_on_inp's module, whose result would be the buffer itself.
TEST_P(Aliasing, WrittenBufferAsAResult) {
  expect_same([](scenario& run) {
    const Tensor buffer = at::zeros({10, 10}, run.options());
    subject f(run, square, [&](tensor_list& in) {
      buffer.add_(in[0]);
      return tensor_list{buffer, buffer * 2};
    });
    for (int step = 0; step < 6; ++step) {
      const tensor_list y = f({run.random({10, 10})});
      EXPECT_TRUE(y[0].is_alias_of(buffer));
      run.see("y", y);
      buffer.mul_(0.5);
      run.see("buffer", buffer);
    }
  });
}

// The same tensor for two arguments, and arguments that overlap: nothing is written, so that eager's rule is clear.
TEST_P(Aliasing, ArgumentsThatOverlap) {
  expect_same([](scenario& run) {
    subject f(run, {{"a", {256}}, {"b", {256}}}, [](tensor_list& in) { return tensor_list{in[0] * in[1], in[0] - in[1]}; });
    const Tensor memory = run.random({1024});
    for (int step = 0; step < 8; ++step) {
      memory.add_(1);
      const int64_t shift = step % 2 == 0 ? 0 : 128;
      run.see("y", f({memory.slice(0, 0, 256), memory.slice(0, shift, shift + 256)}));
    }
    f.expect_replays(6);
  });
}

}  // namespace aliasing_test
