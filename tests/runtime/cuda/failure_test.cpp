// SPDX-License-Identifier: Apache-2.0
//
// A capture that fails leaves nothing behind: no capturing stream, no error, no memory, no generator that refuses to draw.
#include "support.h"

#include <graphed/error.h>

#include <torch/types.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace graphed::testing {
namespace failure_test {

class cuda_failure : public cuda_test {
 protected:
  void SetUp() override {
    cuda_test::SetUp();
    if (!IsSkipped()) {
      use_everything();  // handles and workspaces, which are made once
    }
  }

  static void use_everything() {
    const auto x = filled(1);
    at::Tensor y;
    standalone_graph graph([&] { y = at::dropout(x, 0.5, true).matmul(x); });
    at::manual_seed(11);
    graph.replay();
    at::manual_seed(11);
    EXPECT_TRUE(at::equal(y, at::dropout(x, 0.5, true).matmul(x))) << "a fresh capture is right";
    at::nonzero(at::randn({64, 64}, device()).matmul(x)).sum().item<int64_t>();
  }

  // `fail` is the end of a captured callable.
  static void expect_clean_failure(const std::string& message, const body_function& fail) {
    const auto x = filled(1);
    const int64_t reserved = reserved_bytes();
    const uint64_t offset = generator_offset();
    std::optional<c10::cuda::CUDAStream> stream;
    {
      const auto memory = make_pool();
      std::string what = "nothing was thrown";
      try {
        capture(*memory, [&] {
          stream = c10::cuda::getCurrentCUDAStream();
          const auto y = at::dropout(x, 0.5, true).matmul(x);
          fail();
        });
      } catch (const std::exception& error) {
        what = error.what();
      }
      EXPECT_NE(what.find(message), std::string::npos) << what;
      ASSERT_TRUE(stream);
      EXPECT_FALSE(is_capturing(stream->stream()));
      EXPECT_EQ(cudaGetLastError(), cudaSuccess);
      EXPECT_EQ(generator_offset(), offset);
      at::Tensor y;
      const auto graph = capture(*memory, [&] { y = x.matmul(x) + 1; });
      graph->replay();
      EXPECT_TRUE(at::equal(y, x.matmul(x) + 1)) << "a capture into the same pool is right";
    }
    EXPECT_EQ(reserved_bytes(), reserved);
    use_everything();
  }
};

TEST_F(cuda_failure, by_an_exception) {
  expect_clean_failure("the callable's own", [] { throw std::runtime_error("the callable's own"); });
}

TEST_F(cuda_failure, by_item) {
  const auto x = filled(1);
  expect_clean_failure("captur", [&] { x.sum().item<float>(); });
}

TEST_F(cuda_failure, by_item_whose_error_is_swallowed) {
  const auto x = filled(1);
  expect_clean_failure("captur", [&] {
    try {
      x.sum().item<float>();
    } catch (const std::exception&) {
    }
  });
}

TEST_F(cuda_failure, by_nonzero) {
  const auto x = filled(1);
  expect_clean_failure("captur", [&] { at::nonzero(x); });
}

TEST_F(cuda_failure, by_waiting_for_the_device_or_asking_it) {
  const std::vector<std::function<cudaError_t()>> calls{
      [] { return cudaDeviceSynchronize(); },
      [] { return cudaStreamSynchronize(c10::cuda::getCurrentCUDAStream()); },
      [] { return cudaStreamQuery(c10::cuda::getCurrentCUDAStream()); },
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    SCOPED_TRACE(i);
    expect_clean_failure("captur", [&] { C10_CUDA_CHECK(calls[i]()); });
  }
}

/// The memory is had or returned at the capture, and not by a replay.
TEST_F(cuda_failure, not_by_managing_memory) {
  const auto x = filled(1);
  void *on_device = nullptr, *on_host = nullptr;
  C10_CUDA_CHECK(cudaMalloc(&on_device, 1 << 20));
  int calls = 0;
  const auto memory = make_pool();
  at::Tensor y;
  const auto graph = capture(*memory, [&] {
    ++calls;
    y = x * 2;
    C10_CUDA_CHECK(cudaFree(on_device));
    C10_CUDA_CHECK(cudaMalloc(&on_device, 1 << 20));
    C10_CUDA_CHECK(cudaMallocHost(&on_host, 1 << 20));
  });
  graph->replay();
  graph->replay();
  EXPECT_TRUE(at::equal(y, x * 2));
  EXPECT_EQ(calls, 1);
  C10_CUDA_CHECK(cudaFree(on_device));
  C10_CUDA_CHECK(cudaFreeHost(on_host));
}

TEST_F(cuda_failure, by_values_of_the_host) {
  expect_clean_failure("pinned", [] { torch::tensor({1.0F, 2.0F}, device()); });
  std::vector<float> memory(4);
  expect_clean_failure("pinned", [&] { at::from_blob(memory.data(), {4}).to(device()); });
}

TEST_F(cuda_failure, by_a_copy_to_host_memory) {
  const auto x = filled(1);
  expect_clean_failure("pinned", [&] { x.cpu(); });
}

TEST_F(cuda_failure, by_running_out_of_memory) {
  expect_clean_failure("out of memory", [] { at::empty({int64_t{1} << 42}, device()); });
}

TEST_F(cuda_failure, by_another_thread_that_synchronizes_the_device) {
  const auto x = filled(1);
  expect_clean_failure("captur", [&] {
    std::thread([] {
      static_cast<void>(cudaDeviceSynchronize());
      static_cast<void>(cudaGetLastError());
    }).join();
    const auto y = x * 2;
  });
}

TEST_F(cuda_failure, by_a_side_stream_that_is_not_joined) {
  expect_clean_failure("captur", [] {
    const auto side = c10::cuda::getStreamFromPool();
    cudaEvent_t event = nullptr;
    C10_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    C10_CUDA_CHECK(cudaEventRecord(event, c10::cuda::getCurrentCUDAStream()));
    C10_CUDA_CHECK(cudaStreamWaitEvent(side, event, 0));
    C10_CUDA_CHECK(cudaEventDestroy(event));
    const c10::cuda::CUDAStreamGuard on_side(side);
    const auto y = filled(1) * 2;
  });
}

TEST_F(cuda_failure, by_a_throwing_gradient_hook) {
  const auto w = filled(1).requires_grad_();
  expect_clean_failure("from the hook", [&] {
    const at::AutoGradMode with_grad(true);
    const auto y = w * 2;
    y.register_hook([](const at::Tensor&) -> at::Tensor { throw std::runtime_error("from the hook"); });
    y.sum().backward();
  });
}

TEST_F(cuda_failure, by_a_capture_inside_it) {
  expect_clean_failure("the current stream is inside a capture already", [] { standalone_graph([] {}); });
}

TEST_F(cuda_failure, survives_memory_that_could_not_be_had) {
  const auto x = filled(2);
  at::Tensor y;
  standalone_graph graph([&] {
    EXPECT_ANY_THROW(at::empty({int64_t{1} << 42}, device()));
    y = x * 2;
  });
  graph.replay();
  EXPECT_TRUE(at::equal(y, x * 2));
}

TEST_F(cuda_failure, inside_a_capture_of_somebody_else_leaves_that_one_alone) {
  const auto stream = c10::cuda::getStreamFromPool();
  const auto memory = make_pool();
  const auto x = filled(1);
  synchronize();
  EXPECT_FALSE(cuda().capturing(device()));
  cudaGraph_t graph = nullptr;
  {
    const c10::cuda::CUDAStreamGuard on_stream(stream);
    C10_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    EXPECT_TRUE(cuda().capturing(device()));
    EXPECT_THROW(capture(*memory, [] {}), CaptureError);
    C10_CUDA_CHECK(cudaMemsetAsync(x.data_ptr(), 0, x.nbytes(), stream));
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  }
  EXPECT_FALSE(cuda().capturing(device()));
  std::size_t nodes = 0;
  C10_CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 1U);
  C10_CUDA_CHECK(cudaGraphDestroy(graph));
  use_everything();
}

TEST_F(cuda_failure, another_thread_allocates_and_computes_during_a_capture) {
  const auto x = filled(3);
  at::Tensor y;
  bool right = false;
  standalone_graph graph([&] {
    EXPECT_TRUE(cuda().capturing(device()));
    std::thread([&] { right = filled(2, {1 << 20}).add(1).sum().item<float>() == 3.0F * (1 << 20); }).join();
    y = x + 1;
  });
  EXPECT_TRUE(right);
  graph.replay();
  EXPECT_TRUE(at::equal(y, x + 1));
}

TEST_F(cuda_failure, looked_for_leaves_an_error_that_the_caller_has_yet_to_ask_for) {
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 1, static_cast<cudaMemcpyKind>(-1)), cudaErrorInvalidMemcpyDirection);
  cuda().check_usable(device(), "");
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidMemcpyDirection);
}

TEST_F(cuda_failure, before_the_capture_begins_leaves_nothing_behind) {
  const std::shared_ptr<pool> memory = make_pool();
  for (int round = 0; round < 3; ++round) {
    const auto fails = [&](open_capture&) {
      at::empty({1 << 20}, device());
      throw std::runtime_error("no memory");
    };
    EXPECT_THROW(cuda().capture(device(), *memory, make_recording(), fails, [](const captured_graph&) {}), std::runtime_error);
    EXPECT_FALSE(is_capturing(c10::cuda::getCurrentCUDAStream().stream()));
    at::randn({4}, device());
  }
  const auto x = filled(1);
  at::Tensor y;
  standalone_graph graph([&] { y = x + 1; }, memory);
  graph.replay();
  EXPECT_TRUE(at::equal(y, x + 1));
}

TEST_F(cuda_failure, of_another_threads_capture_is_not_caused_by_memory_for_static_inputs) {
  std::unique_ptr<executable> graph;
  at::Tensor input, result;
  const c10::cuda::CUDAStream others = c10::cuda::getStreamFromPool();
  const std::shared_ptr<pool> memory = make_pool();
  C10_CUDA_CHECK(cudaStreamBeginCapture(others, cudaStreamCaptureModeGlobal));
  std::thread([&] {
    const auto body = [&](open_capture& open) {
      input = at::empty({8 << 20}, device());  // more than the pool has
      open.begin_with({input});
      result = input + 1;
      open.end_with({});
    };
    graph = cuda().capture(device(), *memory, make_recording(), body, [](const captured_graph&) {});
  }).join();
  cudaGraph_t captured = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(others, &captured), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(captured), cudaSuccess);
  ASSERT_NE(graph, nullptr);
}

}  // namespace failure_test
}  // namespace graphed::testing
