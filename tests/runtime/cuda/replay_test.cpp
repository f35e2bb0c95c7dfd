// SPDX-License-Identifier: Apache-2.0
//
// Captured work, run again: the same bits as eager's, whatever the thread, the stream and the autograd modes.
#include "support.h"

#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <thread>

namespace graphed::testing {
namespace replay_test {

class cuda_replay : public cuda_test {};

TEST_F(cuda_replay, equals_eager_for_new_inputs) {
  auto a = random({128, 64});
  const auto b = random({64, 32});
  at::Tensor y;
  standalone_graph graph([&] { y = at::relu(at::matmul(a, b)); });
  for (int i = 0; i < 3; ++i) {
    a.normal_();
    graph.replay();
    EXPECT_TRUE(at::equal(y, at::relu(at::matmul(a, b)))) << "replay " << i;
  }
}

TEST_F(cuda_replay, captures_without_running) {
  auto counter = filled(0);
  standalone_graph graph([&] { counter.add_(1); });
  EXPECT_TRUE(at::equal(counter, filled(0)));
  graph.replay();
  EXPECT_TRUE(at::equal(counter, filled(1)));
}

TEST_F(cuda_replay, of_nothing) {
  standalone_graph graph([] {});
  graph.replay();
  synchronize();
}

TEST_F(cuda_replay, in_other_autograd_modes) {
  const auto x = filled(2);
  at::Tensor y;
  std::optional<standalone_graph> graph;
  {
    const c10::InferenceMode inference;
    graph.emplace([&] { y = at::dropout(x, 0.5, true) * 3; });
  }
  at::manual_seed(5);
  const auto expected = at::dropout(x, 0.5, true) * 3;
  at::manual_seed(5);
  graph->replay();
  EXPECT_TRUE(at::equal(y, expected));
  at::manual_seed(5);
  const c10::InferenceMode inference;
  graph->replay();
  EXPECT_TRUE(at::equal(y, expected));
}

TEST_F(cuda_replay, of_a_graph_from_a_new_thread) {
  const auto a = random();
  at::Tensor y;
  std::optional<standalone_graph> graph;
  std::thread([&] { graph.emplace([&] { y = a.matmul(a); }); }).join();
  graph->replay();
  EXPECT_TRUE(at::equal(y, a.matmul(a)));
}

TEST_F(cuda_replay, of_a_backward_captured_with_its_forward) {
  const auto x = random();
  const auto w = random().requires_grad_();
  const auto gradient = [&] { return torch::autograd::grad({x.matmul(w).relu().matmul(w).pow(2).sum()}, {w})[0]; };
  gradient();
  at::Tensor y;
  standalone_graph graph([&] { y = gradient(); });
  graph.replay();
  EXPECT_TRUE(at::equal(y, gradient()));
}

// The engine captures a backward when the first gradients arrive: on autograd's thread, inside another backward.
TEST_F(cuda_replay, of_a_backward_captured_inside_a_backward) {
  const auto x = random();
  const auto w = random().requires_grad_();
  const auto gradient = [&] { return torch::autograd::grad({x.matmul(w).relu().matmul(w).sum()}, {w})[0]; };
  at::Tensor y;
  std::optional<standalone_graph> graph;
  const auto leaf = random().requires_grad_();
  const auto outer = leaf * 2;
  outer.register_hook([&](const at::Tensor& incoming) {
    graph.emplace([&] {
      const at::AutoGradMode with_grad(true);
      y = gradient();
    });
    return incoming;
  });
  outer.sum().backward();
  ASSERT_TRUE(graph);
  graph->replay();
  EXPECT_TRUE(at::equal(y, gradient()));
  EXPECT_TRUE(at::equal(leaf.grad(), filled(2)));
}

TEST_F(cuda_replay, on_alternating_streams_is_in_order) {
  auto counter = filled(0, {int64_t{1} << 22});
  standalone_graph graph([&] {
    for (int i = 0; i < 50; ++i) {
      counter.add_(1);
    }
  });
  synchronize();
  const auto first = c10::cuda::getStreamFromPool();
  const auto second = c10::cuda::getStreamFromPool();
  for (int i = 0; i < 20; ++i) {
    const c10::cuda::CUDAStreamGuard on_stream(i % 2 == 0 ? first : second);
    graph.replay();
  }
  synchronize();
  EXPECT_TRUE(at::equal(counter, at::full_like(counter, 1000)));
}

TEST_F(cuda_replay, waits_for_uses_of_static_memory_on_another_stream) {
  auto input = filled(0, {int64_t{1} << 22});
  at::Tensor y;
  standalone_graph graph([&] {
    y = input.clone();
    for (int i = 0; i < 50; ++i) {
      y.add_(input);
    }
  });
  synchronize();
  const auto first = c10::cuda::getStreamFromPool();
  const auto second = c10::cuda::getStreamFromPool();
  std::vector<at::Tensor> results;
  for (int i = 0; i < 8; ++i) {
    const c10::cuda::CUDAStreamGuard on_stream(i % 2 == 0 ? first : second);
    graph.memory->order().begin_use();
    input.fill_(i);
    graph.replay();
    results.push_back(y.clone());
    graph.memory->order().end_use();
  }
  synchronize();
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(at::equal(results[static_cast<std::size_t>(i)], at::full_like(input, 51 * i))) << "call " << i;
  }
}

TEST_F(cuda_replay, in_flight_outlives_its_graph) {
  const auto x = random({int64_t{1} << 22});
  const auto work = [&] {
    auto y = x;
    for (int i = 0; i < 20; ++i) {
      y = y * 1.01 + 0.5;
    }
    return y;
  };
  const auto expected = work();
  at::Tensor y;
  auto graph = std::make_unique<standalone_graph>([&] { y = work(); });
  graph->replay();
  graph.reset();
  std::vector<at::Tensor> others;
  for (int i = 0; i < 4; ++i) {
    others.push_back(at::full_like(x, 9));
  }
  c10::cuda::CUDACachingAllocator::emptyCache();
  EXPECT_TRUE(at::equal(y, expected));
}

TEST_F(cuda_replay, copies_bytes_after_the_last_replay) {
  auto counter = filled(0, {int64_t{1} << 22});
  standalone_graph graph([&] {
    for (int i = 0; i < 50; ++i) {
      counter.add_(1);
    }
  });
  synchronize();
  const auto copy = at::empty_like(counter);
  const auto stream = c10::cuda::getStreamFromPool();
  {
    const c10::cuda::CUDAStreamGuard on_stream(stream);
    graph.replay();
  }
  graph.memory->order().copy(copy.data_ptr(), counter.data_ptr(), counter.nbytes());
  {
    const c10::cuda::CUDAStreamGuard on_stream(stream);
    graph.replay();
  }
  synchronize();
  EXPECT_TRUE(at::equal(copy, at::full_like(copy, 50)));
}

}  // namespace replay_test
}  // namespace graphed::testing
