// SPDX-License-Identifier: Apache-2.0
//
// Who owns what: pools, graphs in them, cuBLAS workspaces, and graphs that die at awkward times.
#include "support.h"

#include <graphed/capture.h>
#include <graphed/make_graphed_callables.h>

#include <unistd.h>

#include <fstream>
#include <stdexcept>

namespace graphed::testing {
namespace pool_test {

class cuda_pool_test : public cuda_test {
 protected:
  void SetUp() override {
    cuda_test::SetUp();
    if (!IsSkipped()) {
      const standalone_graph first([] {});  // makes the thread's cuBLAS handle and workspaces
    }
  }
};

TEST_F(cuda_pool_test, two_pools_do_not_overlap) {
  const auto x = random();
  at::Tensor a;
  at::Tensor b;
  standalone_graph first([&] { a = (x * 2).matmul(x) + 1; });
  standalone_graph second([&] { b = (x * 3).matmul(x) - 1; });
  for (int i = 0; i < 3; ++i) {
    first.replay();
    second.replay();
    EXPECT_TRUE(at::equal(a, (x * 2).matmul(x) + 1));
    EXPECT_TRUE(at::equal(b, (x * 3).matmul(x) - 1));
  }
}

TEST_F(cuda_pool_test, several_captures_share_one) {
  const auto x = random();
  const auto memory = make_pool();
  EXPECT_EQ(memory->bytes(), 0U);
  at::Tensor a;
  at::Tensor b;
  at::Tensor c;
  const auto first = capture(*memory, [&] { a = (x * 2).relu(); });
  const auto bytes = memory->bytes();
  EXPECT_GE(bytes, a.nbytes());
  const auto second = capture(*memory, [&] { b = (a * 3).relu(); });
  const auto third = capture(*memory, [&] { c = (b + a) * 4; });
  EXPECT_EQ(memory->bytes(), bytes) << "small tensors share a segment";
  for (int i = 0; i < 2; ++i) {
    first->replay();
    second->replay();
    third->replay();
    const auto eager = (x * 2).relu();
    EXPECT_TRUE(at::equal(c, ((eager * 3).relu() + eager) * 4));
  }
}

TEST_F(cuda_pool_test, graphs_and_tensors_outlive_it) {
  const auto x = random();
  const int64_t reserved = reserved_bytes();
  {
    at::Tensor y;
    {
      auto memory = make_pool();
      const auto graph = capture(*memory, [&] { y = x * 2; });
      memory.reset();
      reserved_bytes();
      graph->replay();
    }
    reserved_bytes();
    EXPECT_TRUE(at::equal(y, x * 2));
  }
  EXPECT_EQ(reserved_bytes(), reserved);
}

TEST_F(cuda_pool_test, is_usable_again_after_its_graphs_died) {
  const auto x = random();
  const auto memory = make_pool();
  for (int i = 0; i < 3; ++i) {
    at::Tensor y;
    const auto graph = capture(*memory, [&] {
      const auto pinned = at::empty({16}, at::TensorOptions().pinned_memory(true));
      y = x * i;
    });
    graph->replay();
    EXPECT_TRUE(at::equal(y, x * i));
    reserved_bytes();
  }
}

TEST_F(cuda_pool_test, a_graph_may_die_while_another_is_captured) {
  const auto x = random();
  at::Tensor a;
  at::Tensor b;
  auto first = std::make_unique<standalone_graph>([&] { a = at::dropout(x, 0.5, true).matmul(x); });
  first->replay();
  standalone_graph second([&] {
    b = x + 1;
    a.reset();
    first.reset();
    b = b * 2;
  });
  second.replay();
  EXPECT_TRUE(at::equal(b, (x + 1) * 2));
}

TEST_F(cuda_pool_test, a_graph_may_die_inside_a_capture_of_somebody_else) {
  const auto x = random();
  at::Tensor a;
  auto graph = std::make_unique<standalone_graph>([&] { a = at::dropout(x, 0.5, true).matmul(x); });
  graph->replay();
  const auto stream = c10::cuda::getStreamFromPool();
  synchronize();
  C10_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  graph.reset();
  cudaGraph_t other = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream, &other), cudaSuccess);
  C10_CUDA_CHECK(cudaGraphDestroy(other));
}

TEST_F(cuda_pool_test, workspaces_outlive_the_other_graph_and_the_map) {
  const auto a = random({64, 16384});
  const auto b = random({16384, 64});
  const auto product = a.matmul(b);
  at::Tensor y;
  at::Tensor z;
  auto first = std::make_unique<standalone_graph>([&] { y = a.matmul(b); });
  standalone_graph second([&] { z = a.matmul(b); });
  first.reset();
  at::cuda::clearCublasWorkspaces();
  reserved_bytes();
  std::vector<at::Tensor> others;
  for (int i = 0; i < 8; ++i) {
    others.push_back(filled(7, {8 << 20}));
  }
  second.replay();
  EXPECT_TRUE(at::equal(z, product));
  for (const auto& other : others) {
    EXPECT_TRUE(at::equal(other, filled(7, {8 << 20}))) << "a replay wrote to somebody else's memory";
  }
}

/// Bytes that the allocator has reserved and the process uses, with what it could return.
struct memory_in_use {
  int64_t device = c10::cuda::CUDACachingAllocator::getDeviceStats(0).reserved_bytes[0].current;
  int64_t host = resident_bytes();

  static int64_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    int64_t total = 0, resident = 0;
    statm >> total >> resident;
    return resident * sysconf(_SC_PAGESIZE);
  }
};

// 8 MiB, and 1 KiB of host memory a cycle.
void expect_flat_memory(const body_function& cycle) {
  constexpr int cycles = 2000;
  for (int i = 0; i < 200; ++i) {
    cycle();
  }
  const memory_in_use before;
  for (int i = 0; i < cycles; ++i) {
    cycle();
  }
  const memory_in_use after;
  EXPECT_LE(after.device - before.device, int64_t{8} << 20);
  EXPECT_LE((after.host - before.host) / cycles, 1 << 10);
}

TEST_F(cuda_pool_test, cycles_of_callables_that_train_are_flat_in_memory) {
  const auto x = random(), w = random().requires_grad_();
  expect_flat_memory([&] {
    const OriginalCallable layer([](const tensor_list& in) { return tensor_list{in[0].mm(in[1]).tanh()}; });
    const auto made = make_graphed_callables({layer}, {{x, w}}).front();
    made({x, w})[0].sum().backward();
    w.mutable_grad().reset();
  });
}

TEST_F(cuda_pool_test, cycles_of_standalone_graphs_are_flat_in_memory) {
  const auto x = random();
  at::Tensor held;
  expect_flat_memory([&] {
    const auto stream = c10::cuda::getStreamFromPool();
    const c10::cuda::CUDAStreamGuard on_stream(stream);
    Graph graph(device());
    {
      const graphed::CaptureGuard capturing(graph);
      held = x.mm(x);  // outlives the graph by one cycle
    }
    graph.instantiate().replay();
  });
}

TEST_F(cuda_pool_test, cycles_of_captures_that_fail_are_flat_in_memory) {
  const auto x = random();
  expect_flat_memory([&] {
    EXPECT_THROW(standalone_graph([&] {
                   const auto y = x.mm(x);
                   throw std::runtime_error("the callable's own");
                 }),
                 std::runtime_error);
  });
}

}  // namespace pool_test
}  // namespace graphed::testing
