// SPDX-License-Identifier: Apache-2.0
//
// Long use: many replays, many graphs, many threads. Briefly by default; with GRAPHED_SOAK=1 100,000 steps, 1,000 graphs, and 32 threads
// for a minute.
#include "support/device_test.h"
#include "support/step.h"

#include <graphed/optim/adam.h>

#include <c10/core/CachingDeviceAllocator.h>
#include <torch/autograd.h>

#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace soak_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Soak);

bool is_long() { return std::getenv("GRAPHED_SOAK") != nullptr; }

constexpr int64_t mebibyte = 1 << 20;

int64_t host_bytes() {
  int64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

int64_t device_bytes(c10::Device device) {
  return device.is_cpu() ? 0 : at::getDeviceAllocator(device.type())->getDeviceStats(device.index()).reserved_bytes[0].current;
}

/// Expects that from its making to its end no memory is taken for good, but for `host` bytes.
class flat_memory {
 public:
  flat_memory(c10::Device device, int64_t host) : device_(device), host_(host), host_before_(host_bytes()), before_(device_bytes(device)) {}
  ~flat_memory() {
#ifndef __SANITIZE_ADDRESS__  // keeps what is freed
    EXPECT_LE(host_bytes() - host_before_, host_);
#endif
    EXPECT_LE(device_bytes(device_) - before_, 8 * mebibyte);
  }

 private:
  const c10::Device device_;
  const int64_t host_, host_before_, before_;
};

struct network : torch::nn::Module {
  explicit network(c10::Device device) {
    layers->to(device);
    register_module("layers", layers);
  }
  torch::nn::Sequential layers{torch::nn::Linear(4, 16), torch::nn::BatchNorm1d(16), torch::nn::ReLU(), torch::nn::Dropout(0.2),
                               torch::nn::Linear(16, 2)};
};

TEST_P(Soak, StepsOfDropoutBatchNormAndAdam) {
  const int steps = is_long() ? 100'000 : 1'000;
  expect_same([&](scenario& run) {
    network net(run.device());
    optim::Adam optimizer(net.parameters(), optim::AdamOptions(1e-3));
    subject step(
        run, batch,
        [&](tensor_list& in) -> tensor_list {
          optimizer.zero_grad();
          const Tensor loss = (net.layers->forward(in[0]) - in[1]).square().mean();
          loss.backward();
          optimizer.step();
          return {loss.detach()};
        },
        of_a_step(), &net);
    std::optional<flat_memory> flat;
    for (int call = 0; call < steps; ++call) {
      if (call == steps / 10) {
        flat.emplace(run.device(), 4 * mebibyte);
      }
      const Tensor loss = step({run.random({8, 4}), run.random({8, 2})})[0];
      if (call % (steps / 100) == 0) {
        run.see("loss", loss);
        run.see("parameters", net.parameters());
        run.see("buffers", net.buffers());
      }
    }
    step.expect_replays(static_cast<uint64_t>(steps) - 2);
  });
}

TEST_P(Soak, GraphsThatComeAndGo) {
  const int cycles = is_long() ? 1'000 : 50;
  const scenario run(device(), true);
  const CallableSpec& description = description::make({{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}}, {});
  const Tensor x = run.random({16, 8}), w = run.leaf({8, 4});
  const auto loss = [](tensor_list& in) -> tensor_list { return {in[0].matmul(in[1]).tanh().square().sum()}; };
  const auto cycle = [&] {
    test_callable f(description, loss);
    for (int call = 0; call < 4; ++call) {
      EXPECT_TRUE(same_bits(torch::autograd::grad({f({x, w})[0]}, {w})[0], torch::autograd::grad({f.plain({x, w})[0]}, {w})[0]));
    }
    EXPECT_EQ(f.stats().captures, 1U);
  };
  for (int i = 0; i < std::max(cycles / 5, 50); ++i) {  // until the allocators have what they keep
    cycle();
  }
  const flat_memory flat(device(), mebibyte);
  for (int i = 0; i < cycles; ++i) {
    cycle();
  }
}

/// What threads do to callables that they share, and to their own.
class user {
 public:
  user(const scenario& run, test_callable& shared, test_callable& trained, const Tensor& weights)
      : run_(run), shared_(shared), trained_(trained), weights_(weights) {}

  bool act(int turn) {
    switch (turn % 64) {
      case 31:
        return captures_its_own();
      case 63:
        shared_.reset();
        return true;
      default:
        return turn % 2 == 0 ? infers() : trains();
    }
  }

 private:
  // From the host: LibTorch's CUDA generator refuses to draw in one thread while another one captures.
  Tensor drawn() const { return at::randn({16, 8}).to(run_.device()); }
  bool infers() {
    const c10::AutoGradMode no_grad(false);
    const Tensor x = drawn();
    return same_bits(shared_({x, weights_})[0], shared_.plain({x, weights_})[0]);
  }
  bool trains() {
    const Tensor x = drawn();
    return same_bits(gradient(trained_({x, weights_})[0]), gradient(trained_.plain({x, weights_})[0]));
  }
  bool captures_its_own() {
    test_callable own({{"x", {16, 8}}}, [w = weights_](tensor_list& in) { return tensor_list{in[0].matmul(w).sigmoid()}; });
    bool same = true;
    for (int call = 0; call < 4; ++call) {
      const Tensor x = drawn();
      same = same && same_bits(gradient(own({x})[0]), gradient(own.plain({x})[0]));
    }
    return same;
  }
  Tensor gradient(const Tensor& result) const { return torch::autograd::grad({result.square().sum()}, {weights_})[0]; }

  const scenario& run_;
  test_callable& shared_;
  test_callable& trained_;
  const Tensor weights_;
};

TEST_P(Soak, ThreadsThatCallCaptureTrainDrawAndReset) {
  const int count = is_long() ? 32 : 8;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(is_long() ? 60'000 : 1'000);
  const scenario run(device(), true);
  const std::vector<argument> arguments{{"x", {16, 8}}, {"w", {8, 4}, at::kFloat, true}};
  const auto layer = [](tensor_list& in) -> tensor_list { return {in[0].matmul(in[1]).tanh()}; };
  settings several;
  several.slots = 4;
  test_callable shared(arguments, layer, several), trained(arguments, layer, several);
  const Tensor weights = run.leaf({8, 4});
  std::atomic<int> turns{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&] {
      const collected_warnings quiet;
      user one(run, shared, trained, weights);
      while (std::chrono::steady_clock::now() < end) {
        const int turn = turns++;
        try {
          EXPECT_TRUE(one.act(turn)) << "turn " << turn;
        } catch (const std::exception& error) {
          ADD_FAILURE() << "turn " << turn << ": " << error.what();
        }
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_GT(trained.stats().backward_replays, 0U) << trained.stats();
}

}  // namespace soak_test
