// SPDX-License-Identifier: Apache-2.0
//
// What an annotation says of a tensor besides dtype and shape: static, optional, channels_last, grad together with inplace.
#include "support/device_test.h"

#include <torch/nn/functional.h>

namespace flag_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Flag);

argument flagged(std::string name, std::vector<int64_t> shape, unsigned flags) {
  return {std::move(name), std::move(shape), at::kFloat, false, false, flags};
}

TEST_P(Flag, StaticArgumentIsReadWhereItIs) {
  expect_same([](scenario& run) {
    subject f(run, {flagged("x", {4, 8}, flags::static_address), {"y", {4, 8}}},
              [](tensor_list& in) { return tensor_list{in[0] * in[1]}; });
    const Tensor x = run.random({4, 8});
    for (int step = 0; step < 6; ++step) {
      x.copy_(run.random({4, 8}));
      run.see("y", f({x, run.random({4, 8})}));
    }
    f.expect_replays(4);
    if (run.graphed()) {
      EXPECT_EQ(f.stats().bytes_staged, 4 * 32 * sizeof(float)) << f.stats();
    }
  });
}

TEST_P(Flag, StaticArgumentThatMovedRunsPlainly) {
  expect_same([](scenario& run) {
    subject f(run, {flagged("x", {4, 8}, flags::static_address)}, [](tensor_list& in) { return tensor_list{in[0] * 2}; });
    const Tensor x = run.random({4, 8});
    const Tensor moved = run.random({4, 8});
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({step == 4 ? moved : x}));
    }
    f.expect_replays(3);
    f.expect_misses(Miss::Address, 1);
  });
  EXPECT_EQ(warnings_.count({"parameter 'x': expected the address of the first call, 0x", ", got 0x"}), 1U) << warnings_.all();
}

TEST_P(Flag, StaticArgumentWithGradient) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {4, 8}}, flagged("w", {8, 8}, flags::static_address | flags::grad)},
              [](tensor_list& in) { return tensor_list{in[0].matmul(in[1]).tanh()}; });
    const Tensor w = run.leaf({8, 8});
    for (int step = 0; step < 6; ++step) {
      f({run.random({4, 8}), w})[0].sum().backward();
      run.see("grad", w.grad());
      {
        const at::NoGradGuard no_grad;
        w.sub_(w.grad() * 0.1);
      }
      w.mutable_grad() = Tensor();
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(Flag, StaticArgumentChangedBeforeItsBackwardIsEagersError) {
  expect_same([](scenario& run) {
    subject f(run, {flagged("w", {8}, flags::static_address | flags::grad)}, [](tensor_list& in) { return tensor_list{in[0] * in[0]}; });
    const Tensor w = run.leaf({8});
    for (int step = 0; step < 5; ++step) {
      const Tensor y = f({w})[0];
      {
        const at::NoGradGuard no_grad;
        w.mul_(0.5);
      }
      EXPECT_TRUE(run.see_error("backward", [&] { y.sum().backward(); }));
    }
  });
}

// Two callables in a row: what passes between them is not copied.
TEST_P(Flag, StaticArgumentThatIsAnotherCallablesResult) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {4, 8}}, {"w", {8, 8}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].matmul(in[1])}; },
              {2, OutputPolicy::Alias});
    subject g(run, {flagged("y", {4, 8}, flags::static_address | flags::grad)}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
    const Tensor w = run.leaf({8, 8});
    const auto first = [&] { return f({run.random({4, 8}), w}); };
    for (int step = 0; step < 3; ++step) {
      first()[0].sum().backward();
    }
    for (int step = 0; step < 6; ++step) {
      const Tensor z = g(first())[0];
      run.see("z", z);
      z.sum().backward();
      run.see("w.grad", w.grad());
    }
    g.expect_replays(4, 4);
    if (run.graphed()) {
      EXPECT_LE(g.stats().bytes_staged, 4 * 32 * sizeof(float)) << "gradients alone\n" << g.stats();
    }
  });
}

TEST_P(Flag, StaticArgumentIsWrittenOnceWhereACaptureIsMadeAgain) {
  expect_same([](scenario& run) {
    const Tensor unseen = run.random({8});
    settings at_once;
    at_once.warmup = 0;
    subject f(
        run, {{"x", {4, 8}, at::kFloat, false, true, flags::static_address}},
        [=](tensor_list& in) { return tensor_list{in[0].tanh_().sum(), unseen}; }, at_once);
    const Tensor x = run.random({4, 8});
    for (int step = 0; step < 3; ++step) {
      run.see("results", f({x}));
      run.see("x", x);
    }
    f.expect_replays(3);
  });
}

TEST_P(Flag, StaticArgumentWrittenInPlace) {
  expect_same([](scenario& run) {
    subject f(run, {flagged("state", {4, 8}, flags::static_address | flags::inplace), {"x", {4, 8}}}, [](tensor_list& in) {
      in[0].mul_(0.5).add_(in[1]);
      return tensor_list{in[0].sum()};
    });
    const Tensor state = run.random({4, 8});
    for (int step = 0; step < 6; ++step) {
      run.see("sum", f({state, run.random({4, 8})}));
      run.see("state", state);
    }
    f.expect_replays(4);
  });
}

TEST_P(Flag, OptionalArgumentIsThereOrNot) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {4, 8}}, flagged("mask", {4, 8}, flags::optional)},
              [](tensor_list& in) { return tensor_list{in[1].defined() ? in[0] * in[1] : in[0] + 1}; });
    for (int step = 0; step < 10; ++step) {
      run.see("y", f({run.random({4, 8}), step % 2 == 0 ? run.random({4, 8}) : Tensor()}));
    }
    f.expect_captures(2);
    f.expect_replays(6);
  });
}

TEST_P(Flag, OptionalArgumentWithGradient) {
  expect_same([](scenario& run) {
    subject f(run, {{"x", {4, 8}}, flagged("bias", {8}, flags::optional | flags::grad)},
              [](tensor_list& in) { return tensor_list{in[1].defined() ? (in[0] + in[1]).tanh() : in[0].tanh()}; });
    const Tensor bias = run.leaf({8});
    for (int step = 0; step < 8; ++step) {
      const Tensor y = f({run.random({4, 8}), step % 2 == 0 ? bias : Tensor()})[0];
      run.see("requires grad", y.requires_grad());
      if (y.requires_grad()) {
        y.sum().backward();
        run.see_grad("bias", bias);
      }
    }
    f.expect_replays(4, 2);
  });
}

TEST_P(Flag, ChannelsLast) {
  expect_same([](scenario& run) {
    subject f(run, {flagged("image", {2, 3, 8, 8}, flags::channels_last), {"w", {4, 3, 3, 3}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{at::conv2d(in[0], in[1]).relu()}; });
    const Tensor w = run.leaf({4, 3, 3, 3});
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({2, 3, 8, 8}).contiguous(at::MemoryFormat::ChannelsLast), w})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("w", w);
    }
    f.expect_replays(4, 4);
  });
}

TEST_P(Flag, ChannelsLastOfFiveDimensions) {
  expect_same([](scenario& run) {
    subject f(run, {flagged("volume", {2, 3, 4, 4, 4}, flags::channels_last)}, [](tensor_list& in) { return tensor_list{in[0] * 2}; });
    for (int step = 0; step < 5; ++step) {
      run.see("y", f({run.random({2, 3, 4, 4, 4}).contiguous(at::MemoryFormat::ChannelsLast3d)}));
    }
    f.expect_replays(3);
  });
}

TEST_P(Flag, AStaticArgumentThatIsNotChannelsLastRunsPlainly) {
  expect_same([](scenario& run) {
    subject f(run, {flagged("image", {2, 3, 8, 8}, flags::channels_last | flags::static_address)},
              [](tensor_list& in) { return tensor_list{in[0] * 2}; });
    run.see("y", f({run.random({2, 3, 8, 8})}));
    f.expect_misses(Miss::Strides, 1);
  });
  EXPECT_EQ(warnings_.count({"parameter 'image': expected channels last, got strides [192, 64, 8, 1]"}), 1U) << warnings_.all();
}

TEST_P(Flag, WrittenArgumentWithGradient) {
  expect_same([](scenario& run) {
    subject f(run, {flagged("x", {4, 8}, flags::grad | flags::inplace), {"w", {8}, at::kFloat, true}}, [](tensor_list& in) {
      in[0].mul_(in[1]);
      return tensor_list{in[0].tanh()};
    });
    const Tensor w = run.leaf({8});
    for (int step = 0; step < 6; ++step) {
      const Tensor leaf = run.leaf({4, 8});
      const Tensor x = leaf * 1;
      const Tensor y = f({x, w})[0];
      run.see("x", x);
      run.see("y", y);
      (y.sum() + (x * 3).sum()).backward();
      run.see_grad("leaf", leaf);
      run.see_grad("w", w);
    }
    f.expect_replays(4, 4);
  });
}

// In eager its gradient is that of both uses.
TEST_P(Flag, StaticArgumentThatIsClosedOverAsWell) {
  for (const bool is_used : {false, true}) {
    expect_same([is_used](scenario& run) {
      const Tensor w = run.leaf({8});
      subject f(run, {{"x", {4, 8}}, flagged("w", {8}, flags::grad | flags::static_address)},
                [&](tensor_list& in) { return tensor_list{is_used ? in[0] * in[1] + w : in[0] + w}; });
      for (int step = 0; step < 6; ++step) {
        f({run.random({4, 8}), w})[0].sum().backward();
        run.see_grad("w", w);
      }
      f.expect_replays(4, 4);
      f.expect_captures(1);
    });
  }
}

}  // namespace flag_test
