// SPDX-License-Identifier: Apache-2.0
//
// One tensor that is given for several parameters: autograd sums its gradients over all uses in one order.
#include "support/autocast.h"
#include "support/device_test.h"

#include <torch/autograd.h>

namespace repeated_argument_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(RepeatedArgument);

const std::vector<argument> two{{"a", {64}, at::kFloat, true}, {"b", {64}, at::kFloat, true}};

// Its uses of the two alternate, so that sums for each alone have other last bits.
tensor_list mixed(tensor_list& in) {
  Tensor y = in[0] * 0.1;
  for (int i = 1; i < 6; ++i) {
    y = (y * in[static_cast<std::size_t>(i % 2)]).sin() + in[static_cast<std::size_t>((i + 1) % 2)] / (3 + i);
  }
  return {y.exp()};
}

/// Calls and backwards with one leaf for both arguments.
void expect_same_with_one_leaf(c10::Device device, const test_callable::body& body) {
  expect_same(device, [&](scenario& run) {
    subject f(run, two, body);
    const Tensor x = run.leaf({64});
    for (int step = 0; step < 5; ++step) {
      const Tensor y = f({x, x})[0];
      run.see("y", y);
      (y * run.random({64})).sum().backward();
      run.see_grad("x", x);
    }
    f.expect_replays(3, 3);
  });
}

TEST_P(RepeatedArgument, OfALeaf) { expect_same_with_one_leaf(device(), mixed); }

TEST_P(RepeatedArgument, OfAResult) {
  expect_same([](scenario& run) {
    subject f(run, two, mixed);
    const Tensor w = run.leaf({64});
    for (int step = 0; step < 5; ++step) {
      const Tensor x = w * run.random({64});
      (f({x, x})[0] * run.random({64})).sum().backward();
      run.see_grad("w", w);
    }
    f.expect_replays(3, 3);
  });
}

TEST_P(RepeatedArgument, WhereTheGraphWritesTheGradient) {
  expect_same([](scenario& run) {
    settings in_graph;
    in_graph.grads_in_graph = true;
    subject f(run, two, mixed, in_graph);
    const Tensor x = run.leaf({64});
    for (int step = 0; step < 9; ++step) {
      (f({x, x})[0] * run.random({64})).sum().backward();
      run.see("x.grad", x.grad());
    }
    f.expect_replays(7, 7);
  });
}

TEST_P(RepeatedArgument, ThatIsAnotherOneInSomeCalls) {
  expect_same([](scenario& run) {
    subject f(run, two, mixed);
    const Tensor x = run.leaf({64}), y = run.leaf({64});
    for (int step = 0; step < 16; ++step) {
      const Tensor& a = step % 4 < 2 ? x : y;
      const Tensor& b = step % 2 == 0 ? x : y;
      (f({a, b})[0] * run.random({64})).sum().backward();
      run.see_grad("x", x);
      run.see_grad("y", y);
    }
    f.expect_captures(2);
    f.expect_replays(12, 12);
  });
}

// To autograd it is another tensor.
TEST_P(RepeatedArgument, AsAViewOfItself) {
  expect_same([](scenario& run) {
    subject f(run, two, mixed);
    const Tensor x = run.leaf({64});
    for (int step = 0; step < 5; ++step) {
      (f({x, x.view({64})})[0] * run.random({64})).sum().backward();
      run.see_grad("x", x);
    }
    f.expect_replays(3, 3);
  });
}

TEST_P(RepeatedArgument, AmongTheElementsOfAList) {
  expect_same([](scenario& run) {
    settings list;
    list.list = true;
    subject f(
        run, {{"list[0]", {64}, at::kFloat, true}, {"list[1]", {64}, at::kFloat, true}, {"list[2]", {64}, at::kFloat, true}},
        [](tensor_list& in) {
          tensor_list ends{in[0], in[2]};
          return tensor_list{mixed(ends)[0] * in[1]};
        },
        list);
    const Tensor x = run.leaf({64}), y = run.leaf({64});
    for (int step = 0; step < 8; ++step) {
      (f(step % 2 == 0 ? tensor_list{x, y, x} : tensor_list{y, x, x})[0] * run.random({64})).sum().backward();
      run.see_grad("x", x);
      run.see_grad("y", y);
    }
    f.expect_replays(4, 4);
  });
}

// What the callable asks autograd for is the derivative by both.
TEST_P(RepeatedArgument, WhoseDerivativeTheCallableTakes) {
  expect_same_with_one_leaf(device(), [](tensor_list& in) {
    const Tensor y = mixed(in)[0];
    return tensor_list{torch::autograd::grad({y.sum()}, {in[0]}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0]};
  });
}

TEST_P(RepeatedArgument, UnderAutocast) {
  expect_same([](scenario& run) {
    subject f(run, {{"a", {8, 8}, at::kFloat, true}, {"b", {8, 8}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]).matmul(in[0]).relu().matmul(in[1])}; });
    const Tensor x = run.leaf({8, 8}), w = run.leaf({8, 8});
    for (int step = 0; step < 10; ++step) {
      const Tensor given = step % 2 == 0 ? x : w * 2;
      const autocast casting(run.device().type(), at::kBFloat16);
      f({given, given})[0].sum().backward();
      run.see_grad("x", x);
      run.see_grad("w", w);
    }
    f.expect_replays(6, 6);
  });
}

TEST_P(RepeatedArgument, IsSaidInWords) {
  scenario run(device(), true);
  subject f(run, two, mixed);
  const Tensor x = run.leaf({64});
  f({x, x});
  EXPECT_NE(f.explain().find("b: f32[64] grad (the same tensor as a)"), std::string::npos) << f.explain();
}

}  // namespace repeated_argument_test
