// SPDX-License-Identifier: Apache-2.0
//
// What captures take beside their tensors: cuBLAS's workspaces, one for all graphs of a pool.
#include "support.h"

#include <ATen/cuda/CUDAEvent.h>
#include <graphed/capture.h>
#include <graphed/control_flow.h>

#include <torch/csrc/autograd/autograd.h>

#include <set>
#include <thread>

namespace graphed::testing {
namespace workspace_test {

constexpr int64_t mebi = int64_t{1} << 20;

class cuda_workspace : public cuda_test {
 protected:
  void SetUp() override {
    cuda_test::SetUp();
    if (!IsSkipped()) {
      at::cuda::clearCublasWorkspaces();
      reserved_bytes();
    }
  }

  static auto stats() { return c10::cuda::CUDACachingAllocator::getDeviceStats(0); }
  static int64_t size() { return static_cast<int64_t>(at::cuda::getChosenWorkspaceSize()); }

  // The most that was allocated at any time while `work` ran, beyond what was before.
  static int64_t growth(const body_function& work) {
    synchronize();
    c10::cuda::CUDACachingAllocator::resetPeakStats(0);
    const int64_t before = stats().allocated_bytes[0].current;
    work();
    return stats().allocated_bytes[0].peak - before;
  }

  static std::set<void*> on(cudaStream_t stream) {
    std::set<void*> found;
    for (const auto& [key, memory] : at::cuda::cublas_handle_stream_to_workspace().map) {
      if (std::get<1>(key) == static_cast<void*>(stream)) {
        found.insert(memory.get());
      }
    }
    return found;
  }

  static void in_thread(const body_function& body) { std::thread(body).join(); }
};

// Split along its inner dimension, so that it has partial sums in a workspace.
struct product {
  at::Tensor a = random({64, 16384});
  at::Tensor b = random({16384, 64});
  at::Tensor operator()() const { return a.matmul(b); }
};

TEST_F(cuda_workspace, there_is_none_where_nothing_multiplied) {
  const auto x = random();
  at::Tensor y = x + 1;
  EXPECT_LT(growth([&] {
              standalone_graph graph([&] { y = x + 1; });
              graph.replay();
            }),
            mebi);
  EXPECT_TRUE(at::equal(y, x + 1));
}

// Where only this thread's calls are refused in a capture, as by default.
TEST_F(cuda_workspace, of_a_body_in_a_stand_alone_capture) {
  const at::Tensor x = random({8, 8});
  Graph graph(device());
  at::Tensor y;
  {
    const CaptureGuard scope(graph);
    y = if_else(x[0][0] > 0, [&] { return x.mm(x); }, [&] { return x.mm(x.t()); });
  }
  ExecutableGraph replays = graph.instantiate();
  for (int i = 0; i < 10; ++i) {
    x.normal_();
    replays.replay();
    EXPECT_TRUE(at::equal(y, x[0][0].item<float>() > 0 ? x.mm(x) : x.mm(x.t()))) << i;
  }
}

TEST_F(cuda_workspace, is_made_inside_where_nothing_multiplied) {
  const product multiply;
  const auto expected = multiply();
  synchronize();
  at::cuda::clearCublasWorkspaces();
  at::Tensor y;
  in_thread([&] {
    standalone_graph graph([&] { y = multiply(); });
    graph.replay();
    synchronize();
    at::cuda::clearCublasWorkspaces();
    reserved_bytes();
    const auto other = filled(7, {size() / 4});
    graph.replay();
    EXPECT_TRUE(at::equal(y, expected));
    EXPECT_TRUE(at::equal(other, filled(7, {size() / 4})));
  });
}

TEST_F(cuda_workspace, graphs_of_an_order_share_one_that_eager_operators_do_not_use) {
  const product multiply;
  const at::Tensor expected = multiply();
  at::Tensor y, z;
  cudaStream_t captures = nullptr;
  standalone_graph first([&] {
    captures = c10::cuda::getCurrentCUDAStream().stream();
    y = multiply();
  });
  EXPECT_LT(growth([&] {
              standalone_graph second([&] { z = multiply() * 2; }, first.memory);
              second.replay();
            }),
            2 * mebi);
  first.replay();
  EXPECT_TRUE(at::equal(y, expected));
  EXPECT_TRUE(at::equal(z, expected * 2));
  const auto of_graphs = on(captures);
  EXPECT_EQ(of_graphs.size(), 1U);
  EXPECT_EQ(on(c10::cuda::getCurrentCUDAStream().stream()).size(), 1U);
  EXPECT_NE(on(c10::cuda::getCurrentCUDAStream().stream()), of_graphs);
}

TEST_F(cuda_workspace, of_a_stream_on_which_the_callable_works_beside_is_the_graphs_own) {
  const product multiply;
  const auto side = c10::cuda::getStreamFromPool();
  const auto on_side = [&] {
    const auto current = c10::cuda::getCurrentCUDAStream();
    at::cuda::CUDAEvent fork, join;
    fork.record(current);
    fork.block(side);
    const c10::cuda::CUDAStreamGuard beside(side);
    at::Tensor made = multiply();
    join.record(side);
    join.block(current);
    return made;
  };
  const at::Tensor expected = on_side();
  const std::set<void*> eager = on(side.stream());
  EXPECT_EQ(eager.size(), 1U);
  Graph graph(device());
  at::Tensor y;
  EXPECT_GE(growth([&] {
              const CaptureGuard scope(graph);
              y = on_side();
            }),
            size());
  EXPECT_EQ(on(side.stream()), eager);
  ExecutableGraph replays = graph.instantiate();
  at::cuda::clearCublasWorkspaces();
  reserved_bytes();
  const auto other = filled(7, {size() / 4});
  y.zero_();
  replays.replay();
  EXPECT_TRUE(at::equal(y, expected));
  EXPECT_TRUE(at::equal(other, filled(7, {size() / 4})));
}

TEST_F(cuda_workspace, of_graphs_is_set_aside_for_eager_operators_on_the_capture_stream) {
  const product multiply;
  const at::Tensor expected = multiply();
  at::Tensor y;
  std::optional<c10::cuda::CUDAStream> captures;
  standalone_graph graph([&] {
    captures = c10::cuda::getCurrentCUDAStream();
    y = multiply();
  });
  const auto of_graphs = on(captures->stream());
  {
    const auto own = graph.memory->order().begin_eager(capture_lane::usual);
    EXPECT_TRUE(on(captures->stream()).empty());
    const c10::cuda::CUDAStreamGuard on_stream(*captures);
    EXPECT_TRUE(at::equal(multiply(), expected));
    EXPECT_EQ(on(captures->stream()).size(), 1U);
    EXPECT_NE(on(captures->stream()), of_graphs);
  }
  EXPECT_EQ(on(captures->stream()), of_graphs);
  graph.replay();
  EXPECT_TRUE(at::equal(y, expected));
}

// Autograd's thread has a handle of its own.
TEST_F(cuda_workspace, a_backward_on_autograds_thread_shares_that_of_the_forward) {
  const auto x = random({64, 256});
  const auto w = random({256, 64}).requires_grad_();
  const auto gradient_of = [&] {
    const at::AutoGradMode with_grad(true);
    const auto v = w * 1;
    return torch::autograd::grad({x.matmul(v).sum()}, {v})[0];
  };
  const at::Tensor expected = gradient_of();
  at::Tensor y;
  EXPECT_LT(growth([&] {
              standalone_graph graph([&] { y = gradient_of(); });
              graph.replay();
            }),
            size() + 4 * mebi);
  EXPECT_TRUE(at::equal(y, expected));
}

TEST_F(cuda_workspace, threads_share_one) {
  const product multiply;
  const auto expected = multiply();
  at::Tensor y;
  cudaStream_t captures = nullptr;
  standalone_graph first([&] {
    captures = c10::cuda::getCurrentCUDAStream().stream();
    y = multiply();
  });
  std::vector<std::unique_ptr<standalone_graph>> graphs;
  const int64_t before = stats().allocated_bytes[0].current;
  std::vector<at::Tensor> results(3);
  for (auto& result : results) {
    in_thread([&] { graphs.push_back(std::make_unique<standalone_graph>([&] { result = multiply(); }, first.memory)); });
  }
  EXPECT_LT(stats().allocated_bytes[0].current, before + 4 * mebi);
  EXPECT_EQ(on(captures).size(), 1U);
  in_thread([&] {
    multiply();  // on the default stream: its handle is known now
    EXPECT_LT(growth([&] { standalone_graph graph([&] { multiply(); }, first.memory); }), 2 * mebi);
  });
  first.replay();
  for (auto& graph : graphs) {
    graph->replay();
  }
  EXPECT_TRUE(at::equal(y, expected));
  for (const auto& result : results) {
    EXPECT_TRUE(at::equal(result, expected));
  }
}

// Beyond the bound, pools share one with those whose replays they wait for.
TEST_F(cuda_workspace, each_pool_has_its_own_up_to_four) {
  const product multiply;
  const auto expected = multiply();
  std::set<cudaStream_t> captures;
  std::vector<at::Tensor> results(6);
  std::vector<std::unique_ptr<standalone_graph>> graphs;
  const int64_t grown = growth([&] {
    for (auto& result : results) {
      graphs.push_back(std::make_unique<standalone_graph>([&] {
        captures.insert(c10::cuda::getCurrentCUDAStream().stream());
        result = multiply();
      }));
    }
  });
  EXPECT_LT(grown, 4 * size() + 16 * mebi);
  EXPECT_EQ(captures.size(), 4U);
  std::set<void*> workspaces;
  for (const cudaStream_t stream : captures) {
    const auto found = on(stream);
    EXPECT_EQ(found.size(), 1U);
    workspaces.insert(found.begin(), found.end());
  }
  EXPECT_EQ(workspaces.size(), 4U);
  for (auto& graph : graphs) {
    graph->replay();
  }
  for (const auto& result : results) {
    EXPECT_TRUE(at::equal(result, expected));
  }
}

TEST_F(cuda_workspace, goes_back_to_the_capture_stream_after_the_last_replay) {
  const product multiply;
  const auto expected = multiply();
  at::Tensor y;
  std::optional<c10::cuda::CUDAStream> captures;
  auto graph = std::make_unique<standalone_graph>([&] {
    captures = c10::cuda::getCurrentCUDAStream();
    y = multiply();
  });
  synchronize();
  for (int i = 0; i < 200; ++i) {
    graph->replay();
  }
  graph.reset();
  at::cuda::clearCublasWorkspaces();
  std::vector<at::Tensor> others;
  {
    const c10::cuda::CUDAStreamGuard without_waiting(*captures);
    for (int i = 0; i < 4; ++i) {
      others.push_back(filled(7, {size() / 4}));
    }
  }
  synchronize();
  EXPECT_TRUE(at::equal(y, expected));
  for (const auto& each : others) {
    EXPECT_TRUE(at::equal(each, filled(7, {size() / 4})));
  }
}

TEST_F(cuda_workspace, memory_that_the_user_left_cached_stays) {
  const auto x = random();
  const int64_t before = reserved_bytes();
  filled(1, {64 * mebi});
  const standalone_graph graph([&] { x + 1; });
  EXPECT_GE(stats().reserved_bytes[0].current, before + 256 * mebi);
}

}  // namespace workspace_test
}  // namespace graphed::testing
