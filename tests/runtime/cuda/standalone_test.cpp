// SPDX-License-Identifier: Apache-2.0
//
// The stand-alone API where only a GPU can show a difference: streams, error modes, raw handles, pools of the caching allocator.
#include "support/standalone.h"
#include "support.h"

#include <graphed/error.h>

#include <numeric>
#include <thread>

namespace graphed::testing {
namespace standalone_test {

using c10::cuda::CUDAStreamGuard;
using c10::cuda::getCurrentCUDAStream;
using c10::cuda::getStreamFromPool;

class cuda_standalone : public cuda_test {
 protected:
  void SetUp() override {
    cuda_test::SetUp();
    if (!IsSkipped()) {
      const auto x = random();
      make([&] { const auto y = at::dropout(x, 0.5, true).matmul(x); });  // handles and workspaces, which are made once
    }
  }

  static ExecutableGraph make(const body_function& body, const CaptureOptions& options = {}) {
    Graph graph(device());
    {
      const graphed::CaptureGuard scope(graph, options);
      body();
    }
    return graph.instantiate();
  }
};

TEST_F(cuda_standalone, a_device_without_index_is_the_current_one) {
  EXPECT_EQ(Graph(at::kCUDA).device(), device());
  EXPECT_EQ(graph_pool_handle(at::kCUDA).device(), device());
}

TEST_F(cuda_standalone, begins_and_ends_on_the_current_stream) {
  const auto x = random();
  synchronize();
  at::Tensor y;
  Graph graph(device());
  const auto stream = getStreamFromPool();
  {
    const CUDAStreamGuard on_stream(stream);
    graph.capture_begin();
    EXPECT_TRUE(is_capturing(stream));
    EXPECT_TRUE(is_current_stream_capturing(device()));
    y = (x * 2).matmul(x);
    graph.capture_end();
    EXPECT_FALSE(is_capturing(stream));
    EXPECT_EQ(getCurrentCUDAStream(), stream);
  }
  graph.instantiate().replay();
  EXPECT_TRUE(at::equal(y, (x * 2).matmul(x)));
}

TEST_F(cuda_standalone, a_destroyed_graph_gives_its_stream_back) {
  const auto stream = getStreamFromPool();
  const CUDAStreamGuard on_stream(stream);
  const auto x = random();
  const int64_t reserved = reserved_bytes();
  {
    Graph graph(device());
    graph.capture_begin();
    const auto y = at::dropout(x, 0.5, true);
  }
  EXPECT_FALSE(is_capturing(stream));
  EXPECT_EQ(reserved_bytes(), reserved);
  at::Tensor y;
  make([&] { y = x + 1; }).replay();
  EXPECT_TRUE(at::equal(y, x + 1));
}

TEST_F(cuda_standalone, the_chosen_stream_is_current_inside) {
  const auto outer = getCurrentCUDAStream();
  const auto stream = getStreamFromPool();
  Graph graph(device());
  {
    const graphed::CaptureGuard scope(graph, {stream.unwrap()});
    EXPECT_EQ(getCurrentCUDAStream(), stream);
    EXPECT_TRUE(is_capturing(stream));
    C10_CUDA_CHECK(cudaMemsetAsync(filled(1).data_ptr(), 0, 4, stream));
  }
  EXPECT_EQ(getCurrentCUDAStream(), outer);
}

// Eager operators of the stream run beside the replays, which are on another one.
TEST_F(cuda_standalone, a_chosen_stream_shares_no_workspace_with_its_graph) {
  const auto stream = getStreamFromPool();
  const auto a = random({64, 16384});
  const auto b = random({16384, 64});
  const auto c = random({64, 16384});
  const auto expected = a.matmul(b);
  synchronize();
  at::Tensor eager;
  at::Tensor replayed;
  const auto workspaces = [] {
    std::map<std::tuple<void*, void*>, void*> all;
    for (const auto& [key, memory] : at::cuda::cublas_handle_stream_to_workspace().map) {
      all[key] = memory.get();
    }
    return all;
  };
  {
    const CUDAStreamGuard on_stream(stream);
    eager = c.matmul(b);
  }
  const auto before = workspaces();
  Graph graph(device());
  {
    const graphed::CaptureGuard scope(graph, {stream.unwrap()});
    replayed = a.matmul(b);
    EXPECT_NE(workspaces(), before);
  }
  for (const auto& [key, memory] : before) {
    EXPECT_EQ(workspaces()[key], memory);
  }
  auto run = graph.instantiate();
  const auto expected_eager = eager.clone();
  synchronize();
  for (int i = 0; i < 50; ++i) {
    replayed.zero_();
    synchronize();
    {
      const CUDAStreamGuard on_stream(stream);
      for (int k = 0; k < 4; ++k) {
        eager = c.matmul(b);
      }
    }
    run.replay();
    synchronize();
    ASSERT_TRUE(at::equal(replayed, expected)) << i;
    ASSERT_TRUE(at::equal(eager, expected_eager)) << i;
  }
}

TEST_F(cuda_standalone, a_failure_on_a_chosen_stream_leaves_its_workspaces) {
  const auto stream = getStreamFromPool();
  const auto x = random();
  synchronize();
  const CUDAStreamGuard on_stream(stream);
  const auto expected = x.matmul(x);
  const int64_t reserved = reserved_bytes();
  {
    Graph graph(device());
    EXPECT_TRUE(contains(text_of<std::runtime_error>([&] {
                           const graphed::CaptureGuard scope(graph, {stream.unwrap()});
                           const auto y = x.matmul(x);
                           throw std::runtime_error("the user's own");
                         }),
                         "the user's own"));
  }
  EXPECT_FALSE(is_capturing(stream));
  EXPECT_EQ(reserved_bytes(), reserved);
  EXPECT_TRUE(at::equal(x.matmul(x), expected));
}

TEST_F(cuda_standalone, a_graph_of_a_chosen_stream_may_die_while_it_runs) {
  const auto stream = getStreamFromPool();
  const auto x = random({1 << 20});
  const auto sum = at::zeros({1 << 20}, device());
  for (int i = 0; i < 10; ++i) {
    {
      auto run = make(
          [&] {
            auto y = x * 1;
            for (int k = 0; k < 20; ++k) {
              y = y * 1;
            }
            sum.add_(y);
          },
          {stream.unwrap()});
      run.replay();
    }
    const CUDAStreamGuard on_stream(stream);
    const auto other = filled(-1, {1 << 20});
  }
  auto expected = at::zeros({1 << 20}, device());
  for (int i = 0; i < 10; ++i) {
    expected.add_(x);
  }
  EXPECT_TRUE(at::equal(sum, expected));
}

TEST_F(cuda_standalone, memory_from_outside_is_kept_for_a_replay_in_flight) {
  const std::vector<int64_t> shape{1 << 22};
  const auto slow = filled(0, {2048, 2048});
  for (int i = 0; i < 5; ++i) {
    auto x = filled(3, shape);
    at::Tensor y;
    auto run = make([&] {
      auto z = slow;
      for (int k = 0; k < 20; ++k) {
        z = z.matmul(slow);
      }
      y = x + z.sum();
    });
    synchronize();
    {
      const CUDAStreamGuard on_stream(getStreamFromPool());
      run.replay();
    }
    run.reset();
    x.reset();
    const auto other = filled(-1, shape);
    synchronize();
    ASSERT_TRUE(at::equal(y, filled(3, shape))) << i;
  }
}

TEST_F(cuda_standalone, error_modes_are_cudas) {
  const auto x = random();
  const auto allocate = [] {
    void* memory = nullptr;
    const cudaError_t error = cudaMalloc(&memory, 1 << 20);
    static_cast<void>(cudaGetLastError());
    return error;
  };
  const auto attempt = [&](CaptureErrorMode mode, bool elsewhere) {
    return text_of<CaptureError>([&] {
      at::Tensor y;
      make(
          [&] {
            y = x * 2;
            if (elsewhere) {
              std::thread(allocate).join();
            } else {
              allocate();
            }
          },
          {std::nullopt, {}, mode})
          .replay();
      EXPECT_TRUE(at::equal(y, x * 2));
    });
  };
  EXPECT_EQ(attempt(CaptureErrorMode::Relaxed, false), "nothing was thrown");
  EXPECT_EQ(attempt(CaptureErrorMode::ThisThread, true), "nothing was thrown");
  EXPECT_TRUE(contains(attempt(CaptureErrorMode::ThisThread, false), "the capture failed; the last operator was aten::mul"));
  EXPECT_TRUE(contains(attempt(CaptureErrorMode::Global, true), "the capture failed; the last operator was aten::mul"));
  at::Tensor y;
  make([&] { y = x * 3; }).replay();
  EXPECT_TRUE(at::equal(y, x * 3));
}

TEST_F(cuda_standalone, nodes_have_cudas_kinds) {
  const auto x = random();
  const auto y = filled(0);
  Graph graph(device());
  {
    const graphed::CaptureGuard scope(graph);
    const cudaStream_t stream = getCurrentCUDAStream();
    y.add_(x);
    y.mul_(x);
    C10_CUDA_CHECK(cudaMemsetAsync(y.data_ptr(), 0, y.nbytes(), stream));
    C10_CUDA_CHECK(cudaMemcpyAsync(y.data_ptr(), x.data_ptr(), y.nbytes(), cudaMemcpyDeviceToDevice, stream));
  }
  EXPECT_EQ(graph.node_counts(), (std::map<std::string, std::size_t>{{"kernel", 2}, {"memcpy", 1}, {"memset", 1}}));
}

TEST_F(cuda_standalone, a_kept_graph_can_be_changed) {
  const auto x = filled(1);
  const auto y = filled(1);
  Graph graph(device(), /*keep_graph=*/true);
  {
    const graphed::CaptureGuard scope(graph);
    x.add_(1);
  }
  auto before = graph.instantiate();
  cudaMemsetParams params{};
  params.dst = y.data_ptr();
  params.elementSize = 1;
  params.width = y.nbytes();
  params.height = 1;
  cudaGraphNode_t node = nullptr;
  C10_CUDA_CHECK(cudaGraphAddMemsetNode(&node, graph.raw_cuda_graph(), nullptr, 0, &params));
  auto after = graph.instantiate();
  before.replay();
  EXPECT_TRUE(at::equal(y, filled(1)));
  after.replay();
  EXPECT_TRUE(at::equal(y, filled(0)));
  EXPECT_TRUE(at::equal(x, filled(3)));
  EXPECT_NE(before.raw_cuda_graph_exec(), after.raw_cuda_graph_exec());
}

TEST_F(cuda_standalone, executables_of_one_graph_share_its_random_numbers_in_order) {
  const auto x = random({1 << 16});
  at::Tensor y;
  Graph graph(device(), /*keep_graph=*/true);
  {
    const graphed::CaptureGuard scope(graph);
    y = at::dropout(x, 0.5, true);
  }
  ExecutableGraph runs[] = {graph.instantiate(), graph.instantiate()};
  graph.reset();
  std::vector<at::Tensor> replayed;
  at::manual_seed(3);
  for (int i = 0; i < 6; ++i) {
    const CUDAStreamGuard on_stream(getStreamFromPool());
    runs[i % 2].replay();
    replayed.push_back(y.clone());
    getCurrentCUDAStream().synchronize();
  }
  at::manual_seed(3);
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(at::equal(replayed[i], at::dropout(x, 0.5, true))) << i;
  }
}

TEST_F(cuda_standalone, leaves_captures_of_somebody_else_alone) {
  const auto x = filled(1);
  at::Tensor y;
  auto run = make([&] { y = x * 2; });
  const auto stream = getStreamFromPool();
  synchronize();
  cudaGraph_t other = nullptr;
  {
    const CUDAStreamGuard on_stream(stream);
    C10_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    EXPECT_TRUE(is_current_stream_capturing(device()));
    EXPECT_TRUE(contains(text_of<Error>([&] { run.replay(); }), "not inside a capture"));
    Graph graph(device());
    EXPECT_TRUE(contains(text_of<CaptureError>([&] { graphed::CaptureGuard scope(graph); }), "inside a capture already"));
    run.reset();
    C10_CUDA_CHECK(cudaMemsetAsync(x.data_ptr(), 0, x.nbytes(), stream));
    EXPECT_EQ(cudaStreamEndCapture(stream, &other), cudaSuccess);
  }
  std::size_t nodes = 0;
  C10_CUDA_CHECK(cudaGraphGetNodes(other, nullptr, &nodes));
  EXPECT_EQ(nodes, 1U);
  C10_CUDA_CHECK(cudaGraphDestroy(other));
}

TEST_F(cuda_standalone, eager_memory_of_a_scope_lies_in_its_pool) {
  const int64_t reserved = reserved_bytes();
  {
    const MemPool memory(device());
    EXPECT_EQ(memory.bytes_held(), 0U);
    at::Tensor inside;
    at::Tensor elsewhere;
    {
      const MemPoolGuard scope(memory);
      inside = filled(1, {1 << 22});
      const uint64_t bytes = memory.bytes_held();
      EXPECT_GE(bytes, inside.nbytes());
      std::thread([&] { elsewhere = filled(2, {1 << 23}); }).join();
      EXPECT_EQ(memory.bytes_held(), bytes);
      Graph graph(device());
      EXPECT_ANY_THROW({ const graphed::CaptureGuard two_from_one_pool(graph, {std::nullopt, memory.handle()}); });
      EXPECT_FALSE(graph.capturing());
    }
    const uint64_t bytes = memory.bytes_held();
    const auto outside = filled(3, {1 << 23});
    EXPECT_EQ(memory.bytes_held(), bytes);
    at::Tensor y;
    make([&] { y = inside + 1; }, {std::nullopt, memory.handle()}).replay();
    EXPECT_TRUE(at::equal(y, filled(2, {1 << 22})));
    EXPECT_GE(memory.bytes_held(), inside.nbytes() + y.nbytes());
  }
  EXPECT_EQ(reserved_bytes(), reserved);
}

TEST_F(cuda_standalone, on_another_device_than_the_current_one) {
  if (c10::cuda::device_count() < 2) {
    GTEST_SKIP() << "needs two GPUs";
  }
  const c10::Device second(at::kCUDA, 1);
  const auto x = at::full({64, 64}, 2, second);
  at::Tensor y;
  Graph graph(second);
  {
    const graphed::CaptureGuard scope(graph);
    EXPECT_EQ(c10::cuda::current_device(), 1);
    y = x * x;
  }
  EXPECT_EQ(c10::cuda::current_device(), 0);
  graph.instantiate().replay();
  EXPECT_EQ(c10::cuda::current_device(), 0);
  EXPECT_TRUE(at::equal(y, at::full({64, 64}, 4, second)));
}

}  // namespace standalone_test
}  // namespace graphed::testing
