// SPDX-License-Identifier: Apache-2.0
//
// The order in which callables are captured and called, the slots that it needs, and the pool that they share.
#include "support/group.h"
#include "support/standalone.h"

#include <graphed/hooks.h>

namespace capture_order_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(CaptureOrder);

TEST_P(CaptureOrder, ForwardsAreCapturedInOrderThenBackwardsInReverse) {
  std::string log;
  bool capturing = false;
  const auto begin = add_hook(GraphEvent::CaptureBegin, [&](const EventInfo&) { capturing = true; });
  const auto end = add_hook(GraphEvent::CaptureEnd, [&](const EventInfo&) {
    capturing = false;
    log += "| ";
  });
  const auto note = [&](const std::string& what) { log += capturing ? what + " " : ""; };
  const auto noting = [&](const std::string& number) {
    return OriginalCallable([&note, number](const tensor_list& in) {
      note("forward " + number);
      const Tensor middle = in[0] * 2;
      middle.register_hook([&note, number](const Tensor&) { note("backward " + number); });
      return tensor_list{middle.tanh()};
    });
  };
  const Tensor x = at::randn({4}, at::TensorOptions(device())).requires_grad_();
  const std::vector<tensor_list> samples(3, {x});
  make_graphed_callables({noting("1"), noting("2"), noting("3")}, samples);
  EXPECT_EQ(log, "forward 1 | forward 2 | forward 3 | backward 3 | backward 2 | backward 1 | ");

  log.clear();
  GraphedOptions interleaved;
  interleaved.order = {1, 2, 1, -1, -2, -1};
  make_graphed_callables({noting("1"), noting("2")}, {{x}, {x}}, interleaved);
  EXPECT_EQ(log, "forward 1 | forward 2 | forward 1 | backward 1 | backward 2 | backward 1 | ");
}

// TransformerEngine, test_make_graphed_callables_with_capture_time_hooks: what no capture may do is done around it, and not by replays.
TEST_P(CaptureOrder, HooksAroundCapturesMayReadValues) {
  const Tensor x = at::ones({4}, at::TensorOptions(device())).requires_grad_(), gradient = at::ones_like(x);
  std::vector<float> read;
  const auto note = [&](const EventInfo&) { read.push_back(x.sum().item<float>()); };
  const auto begin = add_hook(GraphEvent::CaptureBegin, note), end = add_hook(GraphEvent::CaptureEnd, note);
  const OriginalCallable doubled([](const tensor_list& in) { return tensor_list{in[0] * 2}; });
  const auto f = make_graphed_callables({doubled, doubled}, {{x}, {x}});
  EXPECT_EQ(read, std::vector<float>(8, 4));  // before and after two forwards and two backwards
  const Tensor y = f[1](f[0]({x}))[0];
  y.backward(gradient);
  EXPECT_TRUE(same_bits(y, at::full_like(x, 4).requires_grad_()));
  EXPECT_TRUE(same_bits(x.grad(), at::full_like(gradient, 4)));
  EXPECT_EQ(read.size(), 8U);
  EXPECT_EQ(f[0].stats().backward_replays + f[1].stats().backward_replays, 2U);
}

TEST_P(CaptureOrder, AGivenPoolHoldsAllCaptures) {
  const Tensor x = at::zeros({1 << 22}, at::TensorOptions(device())).requires_grad_();
  const OriginalCallable f([](const tensor_list& in) { return tensor_list{in[0].exp()}; });
  GraphedOptions of_one, of_two;
  of_one.pool = graph_pool_handle(device());
  of_two.pool = graph_pool_handle(device());
  const auto one = make_graphed_callable(f, {x}, of_one);
  const auto two = make_graphed_callables({f, f}, {{x}, {x}}, of_two);
  EXPECT_GE(of_one.pool.bytes_held(), 2 * x.nbytes()) << "a result and a gradient";
  EXPECT_GE(of_two.pool.bytes_held(), of_one.pool.bytes_held() + x.nbytes());
}

// What the first uses in passing is memory that the second, captured later, keeps its values in.
TEST_P(CaptureOrder, CallsOfOnePoolOutOfOrderComputeTheSame) {
  expect_same([](scenario& run) {
    GraphedOptions options;
    options.pool = graph_pool_handle(run.device());
    const OriginalCallable first([](const tensor_list& in) { return tensor_list{(in[0].exp() * 2 + in[0].sin() * 3).sum(1)}; });
    const OriginalCallable second(
        [](const tensor_list& in) { return tensor_list{(in[0].tanh() * in[0].cos()).exp(), in[0].detach() * 2}; });
    const group f(run, {first, second}, {{run.leaf({64, 32})}, {run.leaf({64, 32})}}, options);
    torch::manual_seed(1);
    for (int step = 0; step < 3; ++step) {
      const Tensor x = run.leaf({64, 32}), y = run.leaf({64, 32}), z = run.leaf({64, 32});
      const auto held = f(1, {x});
      run.see("while the second awaits its backward", f(0, {y}));
      held[0].square().sum().backward();
      run.see_grad("x", x);
      run.see("while the second's results are held", f(0, {z}));
      run.see("held", held);
    }
  });
}

TEST_P(CaptureOrder, ACallOutOfThePoolsOrderRunsPlainly) {
  expect_same([](scenario& run) {
    const Tensor a = run.leaf({8, 8}), b = run.leaf({8, 8});
    GraphedOptions options;
    options.pool = graph_pool_handle(run.device());
    const group f(run, {product(a), product(b)}, {{run.random({16, 8}).zero_()}, {run.random({16, 8}).zero_()}}, options);
    torch::manual_seed(6);
    const Tensor second = f(1, {run.random({16, 8})})[0];
    const Tensor first = f(0, {run.random({16, 8})})[0];  // its capture is earlier: a replay would write what the second saved
    (first * second).sum().backward();
    run.see_grad("a", a);
    run.see_grad("b", b);
    f.expect_replays(0, 0, 0);
    f.expect_replays(1, 1, 1);
  });
}

TEST_P(CaptureOrder, AnInterleavedOrderIsServedByAsManySlotsAsAreInFlight) {
  expect_same([](scenario& run) {
    const Tensor a = run.leaf({8, 6}), b = run.leaf({6, 4});
    GraphedOptions options;
    options.order = {1, 2, 1, 2, -2, -1, 1, 2, -2, -1, -2, -1};
    options.strict = true;
    const group f(run, {product(a), product(b)}, {{run.random({16, 8})}, {run.leaf({16, 6})}}, options);
    torch::manual_seed(3);
    for (int step = 0; step < 2; ++step) {
      std::vector<Tensor> codes, inner, outputs;
      std::size_t second = 0, first = 0;
      for (const int work : options.order) {
        if (work == 1) {
          codes.push_back(f(0, {run.random({16, 8})})[0]);
        } else if (work == 2) {
          inner.push_back(codes.back().detach().requires_grad_());
          outputs.push_back(f(1, {inner.back()})[0]);
        } else if (work == -2) {
          outputs[second].backward(run.random({16, 4}));
          run.see("gradient", inner[second++].grad());
        } else {
          codes[first].backward(inner[first].grad());
          ++first;
        }
      }
      run.see("outputs", outputs);
      run.see_grad("a", a);
      run.see_grad("b", b);
    }
    for (const std::size_t index : {0, 1}) {
      f.expect_captures(index, 2);
      f.expect_replays(index, 6, 6);
    }
  });
}

TEST_P(CaptureOrder, SlotsAreCallsInFlight) {
  expect_same([](scenario& run) {
    const Tensor w = run.leaf({8, 4});
    GraphedOptions options;
    options.slots = 2;
    const group f(run, {product(w)}, {{run.random({16, 8})}}, options);
    torch::manual_seed(4);
    const Tensor first = f(0, {run.random({16, 8})})[0], second = f(0, {run.random({16, 8})})[0], third = f(0, {run.random({16, 8})})[0];
    (first * 2 + second * third).sum().backward();
    run.see_grad("w", w);
    f.expect_captures(0, 2);
    f.expect_replays(0, 2, 2);
  });
}

}  // namespace capture_order_test
