// SPDX-License-Identifier: Apache-2.0
//
// What only a GPU has: streams, events, pinned memory, bytes that the allocator reserves, graphs of the user's own beside graphed
// callables.
#include "support/device_test.h"

#include <graphed/capture.h>

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <ATen/cuda/Sleep.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/nn.h>

#include <deque>

namespace cuda_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

constexpr int64_t long_sleep = 50'000'000;  // cycles, some 30 ms

class CudaOnly : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) {
      GTEST_SKIP() << "there is no GPU";
    }
  }
  static c10::Device device() { return c10::Device(at::kCUDA, 0); }
  static cudaStreamCaptureStatus status() {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    C10_CUDA_CHECK(cudaStreamIsCapturing(at::cuda::getCurrentCUDAStream(), &status));
    return status;
  }
  static int64_t reserved() {
    torch::cuda::synchronize();
    c10::cuda::CUDACachingAllocator::emptyCache();
    return c10::cuda::CUDACachingAllocator::getDeviceStats(0).reserved_bytes[0].current;
  }
};

const std::vector<argument> vector{{"x", {1000}}};

// test_cuda.py, test_graph_is_current_stream_capturing: true inside the one call that is captured, false in all others and outside.
TEST_F(CudaOnly, TheCurrentStreamIsCapturingInsideOnly) {
  const scenario run(device(), true);
  std::vector<cudaStreamCaptureStatus> seen;
  subject f(run, vector, [&](tensor_list& in) {
    seen.push_back(status());
    return tensor_list{in[0] + 1};
  });
  for (int step = 0; step < 5; ++step) {
    EXPECT_EQ(status(), cudaStreamCaptureStatusNone);
    f({run.random({1000})});
    EXPECT_EQ(status(), cudaStreamCaptureStatusNone);
  }
  EXPECT_EQ(seen, (std::vector{cudaStreamCaptureStatusNone, cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive}));
}

// test_cuda.py, test_graph_record_stream: memory that another stream still uses is outstanding when the capture comes, and a tensor made
// inside the capture is recorded on a side stream.
TEST_F(CudaOnly, RecordStreamBeforeAndInside) {
  expect_same(device(), [](scenario& run) {
    subject f(run, vector, [](tensor_list& in) {
      const auto main = at::cuda::getCurrentCUDAStream(), side = at::cuda::getStreamFromPool();
      const Tensor y = in[0].clone();
      at::cuda::CUDAEvent forked, joined;
      forked.record(main);
      forked.block(side);
      {
        const c10::cuda::CUDAStreamGuard guard(side);
        y.add_(1);
        y.record_stream(side.unwrap());
      }
      joined.record(side);
      joined.block(main);
      return tensor_list{y * 2};
    });
    const auto busy = at::cuda::getStreamFromPool();
    for (int step = 0; step < 5; ++step) {
      Tensor outstanding = at::zeros({3}, run.options());
      outstanding.record_stream(busy.unwrap());
      {
        const c10::cuda::CUDAStreamGuard guard(busy);
        at::cuda::sleep(long_sleep);
        outstanding.fill_(1);
      }
      outstanding = Tensor();
      run.see("y", f({run.random({1000})}));
    }
    f.expect_replays(3);
  });
}

// test_cudagraph_trees.py, test_side_stream_memory_allocation; test_cuda.py, test_cuda_graph_allocator_propagates_stream.
TEST_F(CudaOnly, MemoryAllocatedOnASideStream) {
  expect_same(device(), [](scenario& run) {
    subject f(run, {{"x", {2, 3}}}, [](tensor_list& in) {
      const auto main = at::cuda::getCurrentCUDAStream(), side = at::cuda::getStreamFromPool();
      at::cuda::CUDAEvent forked, joined;
      forked.record(main);
      forked.block(side);
      Tensor on_side;
      {
        const c10::cuda::CUDAStreamGuard guard(side);
        on_side = at::ones({2, 3}, in[0].options()) + in[0];
      }
      joined.record(side);
      joined.block(main);
      return tensor_list{at::ones({2, 3}, in[0].options()) * in[0], on_side};
    });
    tensor_list held;
    for (int step = 0; step < 6; ++step) {
      for (const Tensor& y : f({run.random({2, 3})})) {
        held.push_back(y);
      }
    }
    run.see("held", held);
    f.expect_replays(4);
  });
}

// test_cudagraph_trees.py, test_warmup_stream_sync: long work in the warm-up, its result used at once on the caller's own stream.
TEST_F(CudaOnly, WarmUpIsOrderedWithTheCallersStream) {
  expect_same(device(), [](scenario& run) {
    subject f(run, {{"x", {1024, 1024}}}, [](tensor_list& in) {
      Tensor x = in[0];
      for (int i = 0; i < 50; ++i) {
        x = x.matmul(in[0]).tanh();
      }
      return tensor_list{x};
    });
    const auto stream = at::cuda::getStreamFromPool();
    torch::cuda::synchronize();
    const c10::cuda::CUDAStreamGuard guard(stream);
    for (int step = 0; step < 5; ++step) {
      Tensor x = at::empty({1024, 1024}, run.options());
      at::cuda::sleep(long_sleep);
      x.normal_();
      run.see("y", f({x})[0] + 1);
    }
    stream.synchronize();
  });
}

// test_cuda.py, test_graph_concurrent_replay: two graphs in flight on two streams, kernels side by side.
TEST_F(CudaOnly, TwoCallablesInFlightOnTwoStreams) {
  const scenario run(device(), true);
  const auto body = [](double value) {
    return [value](tensor_list& in) {
      Tensor x = in[0];
      for (int i = 0; i < 5; ++i) {
        const Tensor y = x.clone() + value, z = x.clone() + value;
        x = y + z;
      }
      return tensor_list{x};
    };
  };
  const std::vector<argument> large{{"x", {1'000'000}}};
  subject f(run, large, body(1)), g(run, large, body(2));
  const Tensor ones = at::ones({1'000'000}, run.options());
  for (int step = 0; step < 3; ++step) {
    f({ones});
    g({ones});
  }
  const auto first = at::cuda::getStreamFromPool(), second = at::cuda::getStreamFromPool();
  for (int round = 0; round < 10; ++round) {
    torch::cuda::synchronize();
    Tensor b, c;
    {
      const c10::cuda::CUDAStreamGuard guard(first);
      at::cuda::sleep(1'000'000);
      at::cuda::CUDAEvent event;
      event.record(first);
      event.block(second);
      b = f({ones})[0];
    }
    {
      const c10::cuda::CUDAStreamGuard guard(second);
      c = g({ones})[0];
    }
    torch::cuda::synchronize();
    EXPECT_EQ(b.sum().item<double>(), 1e6 * 94);
    EXPECT_EQ(c.sum().item<double>(), 1e6 * 156);
  }
}

// test_cuda.py, test_graph_memory_stats_and_use_result_after_destroy_graph: what a graph reserved comes back, but for what still lives.
TEST_F(CudaOnly, MemoryComesBackButForLivingResults) {
  const scenario run(device(), true);
  const Tensor x = at::ones({1 << 22}, run.options());
  const auto before = reserved();
  Tensor result;
  {
    subject f(run, {{"x", {1 << 22}}}, [](tensor_list& in) {
      Tensor b = in[0].clone();
      for (int i = 0; i < 5; ++i) {
        b = b.clone() + 1;
      }
      return tensor_list{b};
    });
    for (int step = 0; step < 4; ++step) {
      result = f({x})[0];
    }
    f.expect_replays(2);
    EXPECT_GT(reserved(), before + 2 * result.nbytes());
  }
  EXPECT_EQ(result.sum().item<double>(), 6.0 * (1 << 22));
  result = Tensor();
  EXPECT_LE(reserved(), before + (4 << 20));
}

// test_cuda.py, test_repeat_graph_capture_cublas_workspace_memory: a hundred captures of a product reserve no more than one.
TEST_F(CudaOnly, HundredCapturesReserveNoMoreThanOne) {
  const scenario run(device(), true);
  const Tensor a = run.random({1024, 512}), b = run.random({512, 64});
  subject f(run, {{"a", {1024, 512}}, {"b", {512, 64}}}, [](tensor_list& in) { return tensor_list{in[0].matmul(in[1])}; }, {1});
  int64_t after_one = 0;
  for (int round = 0; round < 100; ++round) {
    f({a, b});
    f({a, b});
    f.reset();
    if (round == 0) {
      after_one = reserved();
    }
  }
  EXPECT_LE(reserved(), after_one + (100 << 20));
}

// Without a backward, what counts is the largest static input of a pool's captures, not the sum of all.
TEST_F(CudaOnly, LargeInputsOfTenCapturesTakeTheRoomOfOne) {
  const scenario run(device(), true);
  const c10::AutoGradMode no_grad(false);
  constexpr int64_t elements = 16 << 20, bytes = elements * 4;
  const Tensor x = run.random({elements});
  std::deque<subject> callables;
  const auto before = reserved();
  uint64_t held = 0;
  settings one_pool;
  one_pool.pool = "cuda_test.large_inputs";
  for (int i = 0; i < 10; ++i) {
    subject& f = callables.emplace_back(
        run, std::vector<argument>{{"x", {elements}}}, [i](tensor_list& in) { return tensor_list{in[0].narrow(0, 0, 1000) * i}; },
        one_pool);
    for (int step = 0; step < 4; ++step) {
      EXPECT_TRUE(same_bits(f({x})[0], x.narrow(0, 0, 1000) * i));
    }
    f.expect_replays(2);
    held += f.stats().bytes_held;
  }
  EXPECT_GE(reserved(), before + bytes);
  EXPECT_LT(reserved(), before + 2 * bytes);
  EXPECT_GE(held, static_cast<uint64_t>(bytes));
  EXPECT_LT(held, static_cast<uint64_t>(2 * bytes));
  callables.clear();
  EXPECT_LT(reserved(), before + bytes);
}

// test_cuda.py, test_graph_timing: events that the graph records on each replay.
TEST_F(CudaOnly, EventsRecordedInside) {
  const scenario run(device(), true);
  cudaEvent_t start = nullptr, end = nullptr;
  C10_CUDA_CHECK(cudaEventCreate(&start));
  C10_CUDA_CHECK(cudaEventCreate(&end));
  const auto record = [](cudaEvent_t event) {
    const unsigned flags = status() == cudaStreamCaptureStatusActive ? cudaEventRecordExternal : cudaEventRecordDefault;
    C10_CUDA_CHECK(cudaEventRecordWithFlags(event, at::cuda::getCurrentCUDAStream(), flags));
  };
  subject f(run, {{"x", {1 << 22}}}, [&](tensor_list& in) {
    record(start);
    const Tensor y = in[0] + in[0];
    record(end);
    return tensor_list{y};
  });
  for (int step = 0; step < 5; ++step) {
    const Tensor x = run.random({1 << 22});
    EXPECT_TRUE(same_bits(f({x})[0], x + x));
    torch::cuda::synchronize();
    float milliseconds = 0;
    C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, end));
    EXPECT_GT(milliseconds, 0.0F);
  }
  f.expect_replays(3);
  C10_CUDA_CHECK(cudaEventDestroy(start));
  C10_CUDA_CHECK(cudaEventDestroy(end));
}

// test_cuda.py, TestCachingHostAllocatorCudaGraph.test_pin_memory_use and test_two_graphs: pinned memory made inside has no other user.
TEST_F(CudaOnly, PinnedMemoryMadeInside) {
  expect_same(device(), [](scenario& run) {
    const auto body = [](tensor_list& in) {
      const Tensor pinned = at::empty({8}, at::TensorOptions(at::kFloat).pinned_memory(true));
      pinned.copy_(in[0], /*non_blocking=*/true);
      return tensor_list{pinned.to(in[0].device(), /*non_blocking=*/true) * 2};
    };
    subject f(run, {{"x", {8}}}, body), g(run, {{"x", {8}}}, body);
    for (int step = 0; step < 6; ++step) {
      const Tensor y = f({run.random({8})})[0], z = g({run.random({8})})[0];
      const Tensor elsewhere = at::full({8}, -1.0, at::TensorOptions(at::kFloat).pinned_memory(true));
      torch::cuda::synchronize();
      run.see("y", y);
      run.see("z", z);
    }
  });
}

// test_cuda.py, test_graph_rng_functional, with torch's own class: its graph and a graphed callable draw in turn.
TEST_F(CudaOnly, TorchsOwnGraphDrawsInTurn) {
  const scenario run(device(), true);
  const Tensor x = run.random({1000});
  subject f(run, vector, [](tensor_list& in) { return tensor_list{at::dropout(in[0], 0.3, true)}; });
  at::cuda::CUDAGraph graph;
  Tensor drawn;
  torch::cuda::synchronize();
  {
    const c10::cuda::CUDAStreamGuard guard(at::cuda::getStreamFromPool());
    graph.capture_begin();
    drawn = at::rand({1000}, run.options());
    graph.capture_end();
  }
  for (int step = 0; step < 6; ++step) {
    at::manual_seed(static_cast<uint64_t>(step));
    const Tensor expected = at::dropout(x, 0.3, true), expected_next = at::rand({1000}, run.options()),
                 expected_last = at::dropout(x, 0.3, true);
    at::manual_seed(static_cast<uint64_t>(step));
    EXPECT_TRUE(same_bits(f({x})[0], expected)) << "step " << step;
    graph.replay();
    EXPECT_TRUE(same_bits(drawn, expected_next)) << "step " << step;
    EXPECT_TRUE(same_bits(f({x})[0], expected_last)) << "step " << step;
  }
}

// test_cuda.py, test_graph_external_wait_and_record: a replay waits for an event that eager work records, and records one that eager work
// waits for.
TEST_F(CudaOnly, WaitsForAnExternalEvent) {
  const auto options = at::TensorOptions(at::kFloat).device(device());
  const Tensor x = at::zeros({1000}, options), y = at::zeros({1000}, options);
  const auto work = at::cuda::getStreamFromPool(), producer = at::cuda::getStreamFromPool(), reader = at::cuda::getStreamFromPool();
  cudaEvent_t ready = nullptr, done = nullptr;
  C10_CUDA_CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  C10_CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  Graph graph(device());
  {
    const graphed::CaptureGuard scope(graph);
    const auto capturing = at::cuda::getCurrentCUDAStream();
    C10_CUDA_CHECK(cudaStreamWaitEvent(capturing, ready, cudaEventWaitExternal));
    y.copy_(x);
    C10_CUDA_CHECK(cudaEventRecordWithFlags(done, capturing, cudaEventRecordExternal));
    y.mul_(1);
  }
  auto run = graph.instantiate();
  torch::cuda::synchronize();
  for (int step = 1; step <= 4; ++step) {
    Tensor seen;
    {
      const c10::cuda::CUDAStreamGuard guard(producer);
      at::cuda::sleep(long_sleep);
      x.fill_(step);
      C10_CUDA_CHECK(cudaEventRecord(ready, producer));
    }
    {
      const c10::cuda::CUDAStreamGuard guard(work);
      run.replay();
    }
    {
      const c10::cuda::CUDAStreamGuard guard(reader);
      C10_CUDA_CHECK(cudaStreamWaitEvent(reader, done, 0));
      seen = y.clone();
    }
    torch::cuda::synchronize();
    EXPECT_TRUE(same_bits(seen, at::full({1000}, step, options))) << "step " << step;
  }
  C10_CUDA_CHECK(cudaEventDestroy(ready));
  C10_CUDA_CHECK(cudaEventDestroy(done));
}

// A module that goes to the host and comes back: each device has captures of its own, and its parameters are noticed.
TEST_F(CudaOnly, ModuleMovedToTheHostAndBack) {
  expect_same(device(), [](scenario& run) {
    torch::nn::Linear net(8, 4);
    subject f(run, {{"x", {16, 8}}}, [&](tensor_list& in) { return tensor_list{net(in[0])}; }, {}, net.ptr().get());
    for (int step = 0; step < 15; ++step) {
      const c10::Device place = step / 5 % 2 == 0 ? run.device() : c10::Device(at::kCPU);
      net->to(place);
      const Tensor y = f({run.random({16, 8}).to(place)})[0];
      run.see("y", y);
      y.sum().backward();
      run.see_grad("weight.grad", net->weight);
      run.see_grad("bias.grad", net->bias);
    }
  });
}

}  // namespace cuda_test
