// SPDX-License-Identifier: Apache-2.0
//
// On which streams callables run.
#include "../support/test_callable.h"
#include "support.h"

#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/Sleep.h>
#include <graphed/host.h>

#include <functional>
#include <future>
#include <thread>
#include <vector>

namespace graphed::testing {
namespace stream_test {

class cuda_stream : public cuda_test {};

TEST_F(cuda_stream, of_a_warm_up_is_the_callers) {
  std::vector<c10::cuda::CUDAStream> seen;
  test_callable f({{"x", {8}}}, [&](tensor_list& in) {
    seen.push_back(c10::cuda::getCurrentCUDAStream());
    return tensor_list{in[0] + 1};
  });
  const auto callers = c10::cuda::getStreamFromPool();
  {
    const c10::cuda::CUDAStreamGuard on_stream(callers);
    for (int call = 0; call < 4; ++call) {
      f({random({8})});
    }
  }
  ASSERT_EQ(seen.size(), 3U) << "two warm-ups and a capture";
  EXPECT_EQ(seen[0], callers);
  EXPECT_EQ(seen[1], callers);
  EXPECT_NE(seen[2], callers);
  EXPECT_NE(seen[2], c10::cuda::getDefaultCUDAStream());
}

class own_stream {
 public:
  own_stream() { C10_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~own_stream() { cudaStreamDestroy(stream_); }
  own_stream& operator=(own_stream&&) = delete;
  c10::cuda::CUDAStream get() const { return c10::cuda::getStreamFromExternal(stream_, 0); }

 private:
  cudaStream_t stream_ = nullptr;
};

constexpr int64_t two_milliseconds = 4'000'000;  // in cycles

// The program may destroy them, so that nothing can wait for them later: their results are memory of LibTorch's.
TEST_F(cuda_stream, of_the_programs_own_reads_a_result_late) {
  constexpr int calls = 12;
  const c10::AutoGradMode no_grad(false);
  test_callable f({{"x", {256, 64}}}, [](tensor_list& in) { return tensor_list{in[0] * 2}; });
  std::vector<at::Tensor> x, read;
  for (int call = 0; call < calls; ++call) {
    x.push_back(random({256, 64}));
  }
  synchronize();
  const own_stream first, second;
  for (int call = 0; call < calls; ++call) {
    const c10::cuda::CUDAStreamGuard current((call % 2 == 0 ? first : second).get());
    at::Tensor result = f({x[static_cast<std::size_t>(call)]})[0];
    at::cuda::sleep(two_milliseconds);
    read.push_back(result.square());
  }
  synchronize();
  for (std::size_t call = 0; call < calls; ++call) {
    EXPECT_TRUE(at::equal(read[call], (x[call] * 2).square())) << "call " << call;
  }
  EXPECT_EQ(f.stats().replays, calls - 2U) << f.stats();
}

TEST_F(cuda_stream, of_an_earlier_call_may_be_captured_when_the_next_call_comes) {
  const c10::AutoGradMode no_grad(false);
  test_callable f({{"x", {256, 64}}}, [](tensor_list& in) { return tensor_list{in[0] * 2}; });
  const auto x = random({256, 64});
  synchronize();
  const auto earlier = c10::cuda::getStreamFromPool();
  {
    const c10::cuda::CUDAStreamGuard current(earlier);
    for (int call = 0; call < 4; ++call) {
      f({x});
    }
  }
  synchronize();
  const c10::cuda::CUDAStreamGuard current(c10::cuda::getStreamFromPool());
  C10_CUDA_CHECK(cudaStreamBeginCapture(earlier, cudaStreamCaptureModeRelaxed));
  const at::Tensor y = f({x})[0];
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(earlier, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_TRUE(at::equal(y, x * 2));
  EXPECT_TRUE(at::equal(f({x})[0], x * 2));
}

// The program works on such a stream as well: before a call, which the call's own work there follows, and after it.
TEST_F(cuda_stream, on_which_a_callable_works_beside_keeps_its_order) {
  constexpr int calls = 12;
  const c10::AutoGradMode no_grad(false);
  const auto side = c10::cuda::getStreamFromPool();
  const at::Tensor x = random({256, 64}), from_side = filled(0, {256, 64});
  test_callable f({{"x", {256, 64}}}, [&](tensor_list& in) {
    const auto current = c10::cuda::getCurrentCUDAStream();
    at::cuda::CUDAEvent fork, join;
    fork.record(current);
    fork.block(side);
    at::Tensor sum;
    {
      const c10::cuda::CUDAStreamGuard beside(side);
      sum = in[0] + from_side;
      join.record(side);
    }
    join.block(current);
    return tensor_list{sum * 2};
  });
  synchronize();
  std::vector<at::Tensor> results;
  for (int call = 0; call < calls; ++call) {
    const auto fill = [&](int value) {
      const c10::cuda::CUDAStreamGuard beside(side);
      at::cuda::sleep(two_milliseconds);
      from_side.fill_(value);
    };
    fill(call);
    at::cuda::sleep(two_milliseconds / 2);
    results.push_back(f({x})[0].clone());
    fill(-1);
  }
  synchronize();
  for (int call = 0; call < calls; ++call) {
    EXPECT_TRUE(at::equal(results[static_cast<std::size_t>(call)], (x + call) * 2)) << "call " << call;
  }
  EXPECT_EQ(f.stats().replays, calls - 2U) << f.stats();
}

// What the host part queues there comes after the work of the first piece and before that of the second one.
TEST_F(cuda_stream, on_which_a_callable_works_beside_keeps_its_order_around_a_host_part) {
  constexpr int calls = 8;
  const c10::AutoGradMode no_grad(false);
  const auto side = c10::cuda::getStreamFromPool();
  const at::Tensor x = random({256, 64}), sum = filled(0, {256, 64});
  const auto beside = [&](const std::function<void()>& work) {
    const auto current = c10::cuda::getCurrentCUDAStream();
    at::cuda::CUDAEvent fork, join;
    fork.record(current);
    fork.block(side);
    const c10::cuda::CUDAStreamGuard on_side(side);
    work();
    join.record(side);
    join.block(current);
  };
  test_callable f({{"x", {256, 64}}}, [&](tensor_list& in) {
    beside([&] { sum.copy_(in[0]); });
    host([&] {
      const c10::cuda::CUDAStreamGuard on_side(side);
      at::cuda::sleep(two_milliseconds);
      sum.add_(1);
    });
    beside([&] { sum.mul_(2); });
    return tensor_list{sum * 1};
  });
  synchronize();
  for (int call = 0; call < calls; ++call) {
    at::cuda::sleep(two_milliseconds);
    EXPECT_TRUE(at::equal(f({x})[0], (x + 1) * 2)) << "call " << call;
  }
}

// The program gives it what only that stream has written, and reads there what it returns: no other stream waits.
TEST_F(cuda_stream, on_which_a_callable_works_beside_comes_before_its_arguments_are_copied_and_after_its_results_are) {
  constexpr int calls = 8;
  constexpr int64_t size = 4096;
  const c10::AutoGradMode no_grad(false);
  const auto side = c10::cuda::getStreamFromPool();
  const at::Tensor wide = filled(0, {size, 2 * size}), x = wide.narrow(1, 0, size);  // not dense: copied before the launch
  settings clones;
  clones.outputs = OutputPolicy::Clone;
  test_callable f(
      {{"x", {size, size}}},
      [&](tensor_list& in) {
        const auto current = c10::cuda::getCurrentCUDAStream();
        at::cuda::CUDAEvent fork, join;
        fork.record(current);
        fork.block(side);
        const c10::cuda::CUDAStreamGuard beside(side);
        at::Tensor doubled = in[0] * 2;
        join.record(side);
        join.block(current);
        return tensor_list{doubled};
      },
      clones);
  synchronize();
  std::vector<at::Tensor> results, read;
  for (int call = 0; call < calls; ++call) {
    {
      const c10::cuda::CUDAStreamGuard beside(side);
      at::cuda::sleep(two_milliseconds);
      wide.fill_(call + 1);
    }
    results.push_back(f({x})[0]);
    const c10::cuda::CUDAStreamGuard beside(side);
    read.push_back(results.back() + 1);
  }
  synchronize();
  for (int call = 0; call < calls; ++call) {
    EXPECT_TRUE(at::equal(read[static_cast<std::size_t>(call)], filled(2. * (call + 1) + 1, {size, size}))) << "call " << call;
  }
  EXPECT_EQ(f.stats().replays, calls - 2U) << f.stats();
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

TEST_F(cuda_stream, that_each_thread_has_of_its_own_leaves_the_capture_to_the_next_thread) {
  constexpr int threads = 6;
  settings one;
  one.slots = 1;
  const c10::AutoGradMode no_grad(false);
  test_callable f({{"x", {256, 64}}}, [](tensor_list& in) { return tensor_list{in[0] * 2}; }, one);
  const at::Tensor x = random({256, 64}), expected = x * 2;
  f({x}), f({x}), f({x});
  synchronize();
  std::vector<at::Tensor> got(threads);
  for (auto& each : got) {
    each = at::empty({256, 64}, device());
  }
  for (const auto& each : got) {
    std::thread([&] {
      const c10::AutoGradMode no_grad_here(false);
      const c10::cuda::CUDAStreamGuard own(c10::cuda::getStreamFromExternal(cudaStreamPerThread, 0));
      const at::Tensor y = f({x})[0];
      at::cuda::sleep(two_milliseconds);
      each.copy_(y);
    }).join();
  }
  synchronize();
  for (int i = 0; i < threads; ++i) {
    EXPECT_TRUE(at::equal(got[static_cast<std::size_t>(i)], expected)) << "thread " << i;
  }
  EXPECT_EQ(f.stats().captures, 1U) << f.stats();
  EXPECT_EQ(f.stats().miss_count(), 0U) << f.stats();
}

}  // namespace stream_test
}  // namespace graphed::testing
