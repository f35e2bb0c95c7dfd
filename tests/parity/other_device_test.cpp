// SPDX-License-Identifier: Apache-2.0
//
// Two GPUs: captures and replays on one while the other is current, and both in one program. The numbers are PyTorch's open defects:
// github.com/pytorch/pytorch/issues/<number>.
#include "support/group.h"
#include "support/standalone.h"

#include <ATen/DeviceGuard.h>
#include <torch/nn.h>

#include <thread>

namespace other_device_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

class OtherDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (torch::cuda::device_count() < 2) {
      GTEST_SKIP() << "there is no second GPU";
    }
  }
  static c10::Device cuda(int index) { return c10::Device(at::kCUDA, static_cast<c10::DeviceIndex>(index)); }
  static int current() { return c10::impl::VirtualGuardImpl(at::kCUDA).getDevice().index(); }
};

// 87794: a network on the second device, forward and backward captured while the first device is the current one.
TEST_F(OtherDevice, IsNotTheCurrentOne) {
  const c10::DeviceGuard first(cuda(0));
  expect_same(cuda(1), [](scenario& run) {
    subject f(run, {{"x", {4, 32}, at::kFloat, true}, {"w", {32, 32}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{at::softplus(in[0].matmul(in[1])).matmul(in[1]).sum()}; });
    const Tensor w = run.leaf({32, 32});
    for (int step = 0; step < 6; ++step) {
      const Tensor x = run.leaf({4, 32}), y = f({x, w})[0];
      run.see("y", y);
      y.backward();
      run.see_grad("x.grad", x);
      run.see_grad("w.grad", w);
    }
    f.expect_replays(4, 4);
  });
}

// 87894, closed by now: the capture must not be an empty one of the current device.
TEST_F(OtherDevice, IsCapturedThoughAnotherIsCurrent) {
  const c10::DeviceGuard second(cuda(1));
  expect_same(cuda(0), [](scenario& run) {
    subject f(run, {{"x", {10}}, {"y", {10}}}, [](tensor_list& in) { return tensor_list{in[0] + in[1]}; });
    for (int step = 0; step < 6; ++step) {
      run.see("z", f({run.random({10}), run.random({10})}));
    }
    f.expect_replays(4);
  });
}

// 153025: graphs on two devices, each fed with the other's results, replayed in turn.
TEST_F(OtherDevice, GraphsOnTwoReplayInTurn) {
  expect_same(cuda(0), [](scenario& run) {
    const Tensor w = run.random({32, 32}), other_w = w.to(cuda(1));
    const std::vector<argument> x{{"x", {64, 32}}};
    subject f(run, x, [&](tensor_list& in) { return tensor_list{in[0].matmul(w).tanh()}; });
    subject g(run, x, [&](tensor_list& in) { return tensor_list{in[0].matmul(other_w).tanh()}; });
    Tensor state = run.random({64, 32});
    for (int step = 0; step < 8; ++step) {
      state = f({state})[0].to(cuda(1));
      state = g({state})[0].to(cuda(0));
      run.see("state", state);
    }
    f.expect_replays(6);
    g.expect_replays(6);
  });
}

// 153025: the same from a thread for each device.
TEST_F(OtherDevice, GraphsOnTwoReplayInTwoThreads) {
  const auto work = [](int index) {
    const scenario run(cuda(index), true);
    const Tensor w = run.random({32, 32});
    subject f(run, {{"x", {64, 32}}}, [&](tensor_list& in) { return tensor_list{in[0].matmul(w).tanh()}; });
    for (int step = 0; step < 30; ++step) {
      const Tensor x = run.random({64, 32});
      EXPECT_TRUE(same_bits(f({x})[0], x.matmul(w).tanh())) << "device " << index << ", step " << step;
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
}

// 87794 and 153025 in one callable: tensors of two devices are never captured as if they were of one.
TEST_F(OtherDevice, BothInOneCallable) {
  expect_same(cuda(0), [](scenario& run) {
    subject f(run, {{"x", {10}}, {"y", {10}}}, [](tensor_list& in) { return tensor_list{in[0] + 1, in[1] + 2}; });
    for (int step = 0; step < 6; ++step) {
      run.see("z", f({run.random({10}), run.random({10}).to(cuda(1))}));
    }
    f.expect_captures(0);
  });
}

// The current device changes between warm-ups, the capture, replays and backwards, and is afterwards what it was before.
TEST_F(OtherDevice, TheCurrentOneIsSwitchedBetweenCalls) {
  expect_same(cuda(1), [](scenario& run) {
    subject f(run, {{"x", {16, 8}}, {"w", {8, 8}, at::kFloat, true}},
              [](tensor_list& in) { return tensor_list{at::dropout(in[0].matmul(in[1]), 0.5, true)}; });
    const Tensor w = run.leaf({8, 8});
    tensor_list held;
    for (int step = 0; step < 10; ++step) {
      const c10::DeviceGuard of_the_call(cuda(step % 2));
      held.push_back(f({run.random({16, 8}), w})[0]);
      EXPECT_EQ(current(), step % 2);
      const c10::DeviceGuard of_the_backward(cuda(step / 2 % 2));
      held.back().sum().backward();
      EXPECT_EQ(current(), step / 2 % 2);
      run.see_grad("w.grad", w);
    }
    run.see("held", held);
    for (const Tensor& each : held) {
      EXPECT_EQ(each.storage().device(), cuda(1));
    }
    f.expect_replays(8, 8);
    f.expect_captures(1);
  });
}

// Random numbers come from the generator of the tensors' device; that of the current one stays.
TEST_F(OtherDevice, DrawsFromItsOwnGenerator) {
  expect_same(cuda(1), [](scenario& run) {
    const c10::DeviceGuard first(cuda(0));
    subject f(run, {{"x", {1000}}}, [](tensor_list& in) { return tensor_list{at::dropout(in[0], 0.5, true)}; });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({1000})}));
      run.see("on the other one", at::rand({3}, at::TensorOptions(cuda(0))));
    }
    f.expect_replays(4);
  });
}

TEST_F(OtherDevice, EachHasCapturesOfItsOwn) {
  expect_same(cuda(0), [](scenario& run) {
    subject f(run, {{"x", {16, 8}, at::kFloat, true}}, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
    for (int step = 0; step < 12; ++step) {
      const Tensor x = run.random({16, 8}).to(cuda(step % 2)).requires_grad_();
      const Tensor y = f({x})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("x.grad", x);
    }
    f.expect_captures(2);
    f.expect_replays(8, 8);
  });
}

TEST_F(OtherDevice, ModuleMovesThere) {
  expect_same(cuda(0), [](scenario& run) {
    torch::nn::Linear net(8, 4);
    subject f(run, {{"x", {16, 8}}}, [&](tensor_list& in) { return tensor_list{net(in[0])}; }, {}, net.ptr().get());
    for (int step = 0; step < 15; ++step) {
      const auto device = cuda(step / 5 % 2);
      net->to(device);
      f({run.random({16, 8}).to(device)})[0].sum().backward();
      run.see_grad("weight.grad", net->weight);
      run.see_grad("bias.grad", net->bias);
    }
  });
}

// A callable without arguments: the device is that of what it uses.
TEST_F(OtherDevice, IsLearntFromWhatTheCallableUses) {
  expect_same(cuda(1), [](scenario& run) {
    const c10::DeviceGuard first(cuda(0));
    const Tensor w = run.random({8, 8});
    subject f(run, {}, [&](tensor_list&) { return tensor_list{w.matmul(w).tanh()}; });
    for (int step = 0; step < 6; ++step) {
      w.copy_(run.random({8, 8}));
      run.see("y", f({}));
    }
    f.expect_replays(4);
  });
}

// The callable makes another device current while it runs, as a library's guard does.
TEST_F(OtherDevice, IsMadeCurrentInside) {
  expect_same(cuda(1), [](scenario& run) {
    subject f(run, {{"x", {16, 8}}}, [](tensor_list& in) {
      Tensor y = in[0] * 2;
      {
        const c10::DeviceGuard other(cuda(0));
        y = y + at::ones_like(y);
      }
      return tensor_list{y.tanh()};
    });
    for (int step = 0; step < 6; ++step) {
      run.see("y", f({run.random({16, 8})}));
      EXPECT_EQ(current(), 0);
    }
    f.expect_replays(4);
  });
}

TEST_F(OtherDevice, MakeGraphedCallablesInAPoolThere) {
  const c10::DeviceGuard first(cuda(0));
  expect_same(cuda(1), [](scenario& run) {
    auto net = on(run.device(), torch::nn::Linear(8, 8));
    GraphedOptions options;
    options.pool = graph_pool_handle(run.device());
    const group f(run, {net, product(run.leaf({8, 8}))}, {{run.random({16, 8})}, {run.leaf({16, 8})}}, options);
    torch::manual_seed(1);
    for (int step = 0; step < 4; ++step) {
      const Tensor y = f(1, f(0, {run.random({16, 8})}))[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("weight.grad", net->weight);
    }
    f.expect_replays(0, 4, 4);
    EXPECT_EQ(current(), 0);
  });
}

// Graphs made without generated code on both devices, replayed from the one that is not theirs, with random numbers.
TEST_F(OtherDevice, GraphsByHandOnBoth) {
  for (const int index : {0, 1}) {
    const c10::DeviceGuard not_its_own(cuda(1 - index));
    const Tensor x = at::randn({1000}, at::TensorOptions(cuda(index)));
    Tensor y;
    auto graph = make_graph(cuda(index), [&] { y = at::dropout(x, 0.5, true); });
    for (uint64_t step = 0; step < 4; ++step) {
      at::manual_seed(step);
      graph.replay();
      at::manual_seed(step);
      EXPECT_TRUE(same_bits(y, at::dropout(x, 0.5, true))) << "device " << index << ", step " << step;
      EXPECT_EQ(current(), 1 - index);
    }
  }
}

}  // namespace other_device_test
