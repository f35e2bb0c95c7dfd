// SPDX-License-Identifier: Apache-2.0
//
// Warm-ups run on a stream of their own, in order with the caller's.
#include "../support/test_callable.h"
#include "support.h"

#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

namespace graphed::testing {
namespace stream_test {

class cuda_stream : public cuda_test {};

constexpr int64_t large = int64_t{1} << 24;

TEST_F(cuda_stream, is_another_one_inside_and_back_outside) {
  const auto outer = c10::cuda::getCurrentCUDAStream();
  {
    const auto scope = cuda().enter_side_stream(device());
    EXPECT_NE(c10::cuda::getCurrentCUDAStream(), outer);
    EXPECT_FALSE(cuda().capturing(device()));
    {
      const auto nested = cuda().enter_side_stream(device());
      EXPECT_NE(c10::cuda::getCurrentCUDAStream(), outer);
    }
  }
  EXPECT_EQ(c10::cuda::getCurrentCUDAStream(), outer);
}

TEST_F(cuda_stream, waits_in_both_directions) {
  auto x = at::zeros({large}, device());
  for (int i = 0; i < 10; ++i) {
    for (int step = 0; step < 10; ++step) {
      x.add_(1);
    }
    const auto scope = cuda().enter_side_stream(device());
    for (int step = 0; step < 10; ++step) {
      x.mul_(1).add_(1);
    }
  }
  EXPECT_TRUE(at::equal(x, at::full_like(x, 200)));
}

TEST_F(cuda_stream, hands_tensors_over) {
  at::Tensor result;
  {
    const auto scope = cuda().enter_side_stream(device());
    result = at::full({large}, 3, device());
    scope->hand_over(result);
    scope->hand_over(at::Tensor());
    scope->hand_over(at::ones({2}));
  }
  auto sum = at::zeros_like(result);
  for (int i = 0; i < 50; ++i) {
    sum.add_(result);
  }
  result.reset();
  {
    const auto scope = cuda().enter_side_stream(device());
    const auto other = at::full({large}, 100, device());
  }
  EXPECT_TRUE(at::equal(sum, at::full_like(sum, 150)));
}

TEST_F(cuda_stream, comes_back_after_an_exception) {
  const auto outer = c10::cuda::getCurrentCUDAStream();
  const auto throwing = [] {
    const auto scope = cuda().enter_side_stream(device());
    throw std::runtime_error("the callable's own");
  };
  EXPECT_THROW(throwing(), std::runtime_error);
  EXPECT_EQ(c10::cuda::getCurrentCUDAStream(), outer);
}

TEST_F(cuda_stream, is_not_the_one_that_is_captured) {
  std::optional<c10::cuda::CUDAStream> warmup;
  {
    const auto scope = cuda().enter_side_stream(device());
    warmup = c10::cuda::getCurrentCUDAStream();
  }
  standalone_graph graph([&] { EXPECT_NE(c10::cuda::getCurrentCUDAStream(), *warmup); });
}

TEST_F(cuda_stream, of_warmups_is_none_that_libtorch_hands_out) {
  std::optional<c10::cuda::CUDAStream> warmup;
  {
    const auto scope = cuda().enter_side_stream(device());
    warmup = c10::cuda::getCurrentCUDAStream();
  }
  for (int i = 0; i < 64; ++i) {
    EXPECT_NE(c10::cuda::getStreamFromPool().stream(), warmup->stream());
  }
}

// One handle, a stream of its own on each thread. Its calls only replay: LibTorch's allocator takes the handle for one stream. There are
// more threads than orders, so that each shares cuBLAS's workspace with another one.
TEST_F(cuda_stream, that_each_thread_has_of_its_own_waits_for_the_others) {
  constexpr int threads = 8, calls = 50;
  settings one_each;
  one_each.slots = threads;
  const auto powers = [](tensor_list& in) {
    at::Tensor y = in[0];
    for (int i = 0; i < 8; ++i) {
      y = y.mm(in[0]).tanh();
    }
    return tensor_list{y};
  };
  const c10::AutoGradMode no_grad(false);
  test_callable f({{"x", {1024, 1024}}}, powers, one_each);
  std::vector<at::Tensor> x, expected, got, held;
  for (int i = 0; i < threads; ++i) {
    x.push_back(random({1024, 1024}));
    expected.push_back(f.plain({x.back()})[0]);
    got.push_back(at::empty({calls, 1024, 1024}, device()));
  }
  f({x[0]}), f({x[0]});
  std::vector<std::promise<void>> captured(threads);
  std::promise<void> begin;
  const auto all_begin = begin.get_future().share();
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      const c10::AutoGradMode no_grad_here(false);
      at::Tensor first = f({x[i]})[0];  // in a capture of its own, which it keeps
      synchronize();
      captured[i].set_value();
      all_begin.wait();
      first.reset();
      const c10::cuda::CUDAStreamGuard own(c10::cuda::getStreamFromExternal(cudaStreamPerThread, 0));
      for (int call = 0; call < calls; ++call) {
        got[i][call].copy_(f({x[i]})[0]);
      }
      C10_CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    });
    captured[i].get_future().wait();
  }
  begin.set_value();
  for (auto& thread : running) {
    thread.join();
  }
  for (std::size_t i = 0; i < threads; ++i) {
    EXPECT_TRUE(at::equal(got[i], expected[i].expand_as(got[i]))) << "thread " << i;
  }
  EXPECT_EQ(f.stats().miss_count(), 0U) << f.stats();
}

}  // namespace stream_test
}  // namespace graphed::testing
