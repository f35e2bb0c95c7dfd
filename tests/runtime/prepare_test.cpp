// SPDX-License-Identifier: Apache-2.0
//
// Captures ahead of the first call: they leave no trace, and the first call is a replay.
#include "support/device_test.h"
#include "support/others_draw.h"
#include "support/standalone.h"

#include <graphed/error.h>

#include <ATen/CPUGeneratorImpl.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace prepare_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Prepare);

const std::vector<argument> arguments{{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}};

tensor_list layer(tensor_list& in) { return {in[0].matmul(in[1]).tanh()}; }

TEST_P(Prepare, TheFirstCallIsAReplay) {
  expect_same([](scenario& run) {
    subject f(run, arguments, layer);
    const Tensor w = run.leaf({8, 4});
    f.prepare({run.random({16, 8}), w});
    for (int step = 0; step < 3; ++step) {
      const Tensor y = f({run.random({16, 8}), w})[0];
      run.see("y", y);
      y.backward(run.random({16, 4}));
      run.see_grad("w", w);
    }
    f.expect_captures(1);
    f.expect_replays(3, 3);
    if (run.graphed()) {
      EXPECT_EQ(f.stats().calls, 3U);
      EXPECT_EQ(f.stats().warmups, 0U);
      EXPECT_EQ(f.stats().backward_captures, 1U) << f.stats();
    }
  });
}

TEST_P(Prepare, LeavesNoTrace) {
  expect_same([](scenario& run) {
    const Tensor mean = at::zeros({8}, run.options()), variance = at::ones({8}, run.options()), w = run.leaf({16, 8});
    subject f(run, {{"x", {16, 8}, at::kFloat, false, true}}, [=](tensor_list& in) {
      const Tensor normal =
          at::batch_norm(in[0].clone() * w, {}, {}, mean, variance, /*training=*/true, 0.1, 1e-5, /*cudnn_enabled=*/false);
      in[0].add_(1);
      return tensor_list{at::dropout(normal, 0.5, /*train=*/true)};
    });
    const Tensor x = run.random({16, 8});
    f.prepare({x});
    run.see("x", x);
    run.see("mean", mean);
    run.see("variance", variance);
    run.see("grad is undefined", !w.grad().defined());
    run.see("random", run.random({4}));
    for (int step = 0; step < 3; ++step) {
      const Tensor y = f({x})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("w", w);
      run.see("x", x);
      run.see("mean", mean);
    }
    f.expect_replays(3, 3);
  });
}

TEST_P(Prepare, ACallableThatWritesAnUnmarkedArgumentLeavesItAsItWas) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) {
      in[0].select(0, 3).fill_(0.5);
      return tensor_list{in[0].mul_(2)};
    });
    const Tensor x = run.random({16, 8});
    if (run.graphed()) {
      EXPECT_THROW(f.prepare({x}), CaptureError);
    }
    run.see("x", x);
  });
}

TEST_P(Prepare, EveryDeclaredSize) {
  expect_same([](scenario& run) {
    settings sizes;
    sizes.sizes = {1, 8, 64};
    subject f(run, {{"x", {B, 8}}, {"w", {8, 4}, at::kFloat, true}}, layer, sizes);
    const Tensor w = run.leaf({8, 4});
    f.prepare({run.random({8, 8}), w});
    f.expect_captures(3);
    for (const int64_t size : {1, 8, 64}) {
      run.see("y", f({run.random({size, 8}), w}));
    }
    f.expect_replays(3);
    f.expect_captures(3);
  });
}

TEST_P(Prepare, FromTheLargestSizeToTheSmallest) {
  std::vector<int64_t> order;
  settings sizes;
  sizes.sizes = {8, 1, 64};
  test_callable f(
      {{"x", {B, 8}}},
      [&](tensor_list& in) {
        if (order.empty() || order.back() != in[0].size(0)) {
          order.push_back(in[0].size(0));
        }
        return tensor_list{in[0].tanh()};
      },
      sizes);
  f.prepare({at::zeros({8, 8}, at::TensorOptions(device()))});
  EXPECT_EQ(order, (std::vector<int64_t>{64, 8, 1}));
}

// Largest first, so that each next one finds its memory there.
TEST_P(Prepare, SizesShareTheirPool) {
  expect_same([](scenario& run) {
    settings sizes;
    sizes.sizes = {8, 64, 512};
    sizes.pool = "sizes of prepare";
    subject f(run, {{"x", {B, 64}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{(in[0].exp() * 2).sin().tanh()}; }, sizes);
    f.prepare({run.leaf({8, 64})});
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({sizes.sizes[static_cast<std::size_t>(step) % 3], 64});
      const Tensor y = f({x})[0];
      run.see("y", y);
      y.backward(run.random(y.sizes()));
      run.see_grad("x", x);
    }
    f.expect_captures(3);
    f.expect_replays(6, 6);
  });
}

TEST_P(Prepare, TwiceIsOnce) {
  expect_same([](scenario& run) {
    subject f(run, arguments, layer);
    const Tensor w = run.leaf({8, 4}), x = run.random({16, 8});
    f.prepare({x, w});
    f.prepare({x, w});
    run.see("y", f({x, w}));
    f.expect_captures(1);
  });
}

TEST_P(Prepare, ArgumentsThatDoNotFitThrow) {
  test_callable f(arguments, layer);
  const auto options = at::TensorOptions(device());
  try {
    f.prepare({at::zeros({3, 8}, options), at::zeros({8, 4}, options).requires_grad_()});
    FAIL() << "no exception";
  } catch (const GuardError& error) {
    EXPECT_EQ(std::string(error.what()), "graphed: test_callable (test.cpp:1): parameter 'x': expected [16, 8], got [3, 8]" +
                                             link_to("explanation/guards.md#what-to-do"));
  }
}

TEST_P(Prepare, ACallableThatCannotBeCapturedThrowsAndLeavesNoTrace) {
  expect_same([](scenario& run) {
    const Tensor state = at::zeros({4}, run.options());
    subject f(run, {{"x", {16, 8}}}, [=](tensor_list& in) {
      state.add_(1);
      return tensor_list{at::dropout(in[0], 0.5, true) * in[0].sum().item<float>()};
    });
    const Tensor x = run.random({16, 8});
    if (run.graphed()) {
      EXPECT_THROW(f.prepare({x}), CaptureError);
    }
    run.see("state", state);
    for (int step = 0; step < 4; ++step) {
      run.see("y", f({x}));
      run.see("state", state);
    }
  });
}

/// Changes the total before the backward needs it.
test_callable::body scaled_by_growing(const Tensor& total) {
  return [total](tensor_list& in) {
    total.add_(1);
    return tensor_list{in[0] * total};
  };
}

TEST_P(Prepare, BetweenAForwardAndItsBackward) {
  expect_same([](scenario& run) {
    const Tensor total = run.random({4}).abs();
    subject f(run, {{"x", {4}, at::kFloat, true}}, scaled_by_growing(total));
    const Tensor x = run.leaf({4});
    const Tensor y = f({x})[0];
    f.prepare({run.leaf({4}).detach().requires_grad_()});
    run.see_error("backward", [&] { y.sum().backward(); });
    run.see("x.grad", x.grad());
    run.see("total", total);
  });
}

TEST_P(Prepare, OfAnotherKindBetweenAForwardAndItsBackward) {
  expect_same([](scenario& run) {
    const Tensor total = run.random({4}).abs();
    subject f(run, {{"x", {4}, at::kFloat, true}}, scaled_by_growing(total));
    const Tensor x = run.leaf({4});
    for (int step = 0; step < 5; ++step) {
      const Tensor y = f({x}, Scalars().key("kind", int64_t{0}))[0];
      f.prepare({run.leaf({4}).detach().requires_grad_()}, Scalars().key("kind", int64_t{1 + step}));
      run.see_error("backward", [&] { y.sum().backward(); });
      run.see_grad("x.grad", x);
    }
    run.see("total", total);
  });
}

TEST_P(Prepare, AnArgumentThatIsWrittenUnmarkedStaysAsItWas) {
  const scenario run(device(), true);
  const Tensor w = run.leaf({4}), x = run.random({4}), before = x.clone();
  const auto version = x._version();
  subject f(run, {{"x", {4}}}, [=](tensor_list& in) { return tensor_list{in[0].add_(w)}; });
  EXPECT_TRUE(contains(text_of<CaptureError>([&] { f.prepare({x}); }), "does not mark 'inplace'"));
  EXPECT_FALSE(x.requires_grad());
  EXPECT_EQ(x._version(), version);
  EXPECT_TRUE(same_bits(x, before));
}

// Beside a callable that draws none, and so leaves the generator alone.
TEST_P(Prepare, NumbersThatOthersDrawMeanwhile) {
  numbers_of_others others(device());
  test_callable f({{"x", {16, 8}}}, [&](tensor_list& in) {
    others.draw(3);
    return tensor_list{in[0] * 2};
  });
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device()));
  f.prepare({x});
  others.draw(100);
  f.estimate({x});
  others.draw(100);
  EXPECT_TRUE(same_bits(f({x})[0], x * 2));
  EXPECT_EQ(f.stats().captures, 1U) << f.stats();
  EXPECT_GE(others.count(), 212U);
  EXPECT_EQ(others.drawn_twice(), 0U);
}

// The callable's own cannot be taken back without theirs. On a CPU a capture refuses to draw between them.
TEST_P(Prepare, NumbersThatOthersDrawBetweenThoseOfTheCallable) {
  numbers_of_others others(device());
  test_callable f({{"x", {16, 8}}}, [&](tensor_list& in) {
    const Tensor noise = at::rand_like(in[0]);
    others.draw(3);
    return tensor_list{at::rand_like(in[0]) + noise};
  });
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device()));
  if (device().is_cpu()) {
    EXPECT_THROW(f.prepare({x}), CaptureError);
  } else {
    f.prepare({x});
  }
  others.draw(1000);
  EXPECT_EQ(others.drawn_twice(), 0U);
}

// What another thread draws on a CPU says nothing of the generator of a GPU.
TEST_P(Prepare, NumbersThatOthersDrawFromAnotherGenerator) {
  auto another = at::detail::createCPUGenerator(5);
  const auto draw_on_a_cpu = [&] { device().is_cpu() ? at::empty({4}).uniform_(0, 1, another) : at::rand({4}); };
  test_callable f({{"x", {16, 8}}}, [&](tensor_list& in) {
    const Tensor noise = at::rand_like(in[0]);
    std::thread(draw_on_a_cpu).join();
    return tensor_list{at::rand_like(in[0]) + noise};
  });
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device()));
  at::manual_seed(7);
  const Tensor expected = at::rand_like(x);
  at::manual_seed(7);
  f.prepare({x});
  EXPECT_TRUE(same_bits(at::rand_like(x), expected));
  EXPECT_EQ(f.stats().captures, 1U) << f.stats();
}

// One capture serves both where there may be no more.
TEST_P(Prepare, ByTwoThreadsAtOnce) {
  std::promise<void> inside, leave;
  std::atomic<int> runs{0};
  settings one_slot{1};
  one_slot.slots = 1;
  test_callable f(
      {{"x", {16, 8}}},
      [&](tensor_list& in) {
        if (++runs == 2) {  // the first one's capture
          inside.set_value();
          leave.get_future().wait();
        }
        return tensor_list{in[0] * 2};
      },
      one_slot);
  const Tensor x = at::ones({16, 8}, at::TensorOptions(device()));
  std::thread first([&] { f.prepare({x}); });
  inside.get_future().wait();
  std::thread second([&] { f.prepare({x}); });
  while (runs < 3) {
    std::this_thread::yield();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // until it waits for the first one's capture
  leave.set_value();
  first.join();
  second.join();
  EXPECT_EQ(f.stats().captures, 1U) << f.stats();
  EXPECT_TRUE(same_bits(f({x})[0], x * 2));
  EXPECT_EQ(f.stats().replays, 1U) << f.stats();
}

}  // namespace prepare_test
