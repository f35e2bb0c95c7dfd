// SPDX-License-Identifier: Apache-2.0
//
// Failures that only a GPU has: another program's capture, another thread's synchronization, memory that a failed capture must return.
#include "support/device_test.h"

#include <graphed/capture.h>

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/autograd.h>

#include <future>
#include <thread>

namespace foreign_capture_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

const std::vector<argument> arguments{{"x", {64, 32}}};

class ForeignCapture : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) {
      GTEST_SKIP() << "there is no GPU";
    }
    weight_ = run_.random({32, 32});
  }
  void expect_nothing_capturing() const {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    C10_CUDA_CHECK(cudaStreamIsCapturing(at::cuda::getCurrentCUDAStream(), &status));
    EXPECT_EQ(status, cudaStreamCaptureStatusNone);
    EXPECT_NO_THROW(torch::cuda::synchronize());
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  }
  static int64_t reserved() {
    torch::cuda::synchronize();
    c10::cuda::CUDACachingAllocator::emptyCache();
    return c10::cuda::CUDACachingAllocator::getDeviceStats(0).reserved_bytes[0].current;
  }
  void expect_replays_eagers_result(subject& f) {
    for (int step = 0; step < 3; ++step) {
      const Tensor x = run_.random({64, 32});
      EXPECT_TRUE(same_bits(f({x})[0], x.matmul(weight_).tanh()));
    }
  }
  subject layer(std::function<void()> meddle = [] {}) {
    return subject(run_, arguments, [this, meddle = std::move(meddle)](tensor_list& in) {
      const Tensor y = in[0].matmul(weight_);
      meddle();
      return tensor_list{y.tanh()};
    });
  }

  const scenario run_{c10::Device(at::kCUDA, 0), true};
  Tensor weight_;
  collected_warnings warnings_;
};

TEST_F(ForeignCapture, InsideTorchsOwnCaptureThePlainCallableRuns) {
  for (const int earlier_calls : {1, 2, 5}) {
    subject f = layer();
    const Tensor x = run_.random({64, 32});
    for (int step = 0; step < earlier_calls; ++step) {
      f({x});
    }
    torch::cuda::synchronize();
    at::cuda::CUDAGraph graph;
    Tensor y;
    {
      const c10::cuda::CUDAStreamGuard stream(at::cuda::getStreamFromPool());
      graph.capture_begin();
      y = f({x})[0];
      graph.capture_end();
    }
    x.copy_(run_.random({64, 32}));
    graph.replay();
    EXPECT_TRUE(same_bits(y, x.matmul(weight_).tanh())) << earlier_calls;
    f.expect_misses(Miss::Nested, 1);
    expect_replays_eagers_result(f);
  }
}

TEST_F(ForeignCapture, AnotherThreadsSynchronization) {
  int calls = 0;
  subject f = layer([&] {
    if (++calls == 3) {
      std::thread([] { C10_CUDA_IGNORE_ERROR(cudaDeviceSynchronize()); }).join();
    }
  });
  for (int step = 0; step < 2; ++step) {
    f({run_.random({64, 32})});
  }
  const Tensor x = run_.random({64, 32});
  EXPECT_TRUE(same_bits(f({x})[0], x.matmul(weight_).tanh()));
  expect_nothing_capturing();
  expect_replays_eagers_result(f);
  f.expect_captures(1);
  EXPECT_EQ(f.stats().failed_captures, 1U) << f.stats();
  EXPECT_EQ(
      warnings_.count({"test_callable (test.cpp:1)", "aten::", "another thread that synchronized the device", "later calls try again"}), 1U)
      << warnings_.all();
}

// More often than captures are tried that fail for another reason.
TEST_F(ForeignCapture, AnotherThreadsSynchronizationInABackwardsCapture) {
  uint64_t captures = 0;
  weight_.requires_grad_();
  subject f(run_, arguments, [&](tensor_list& in) {
    const Tensor y = in[0].matmul(weight_);
    y.register_hook([&](const Tensor& gradient) {
      if (is_current_stream_capturing(gradient.device()) && ++captures <= 4) {
        std::thread([] { C10_CUDA_IGNORE_ERROR(cudaDeviceSynchronize()); }).join();
      }
      return gradient * 2;
    });
    return tensor_list{y.tanh()};
  });
  for (int step = 0; step < 20; ++step) {
    const Tensor x = run_.random({64, 32});
    f({x})[0].sum().backward();
    const Tensor expected = torch::autograd::grad({x.matmul(weight_).tanh().sum()}, {weight_})[0] * 2;
    EXPECT_TRUE(same_bits(weight_.grad(), expected)) << step;
    weight_.mutable_grad().reset();
  }
  expect_nothing_capturing();
  EXPECT_EQ(f.stats().failed_captures, 4U) << f.stats();
  EXPECT_EQ(f.stats().backward_captures, 1U) << f.stats();
  EXPECT_GT(f.stats().backward_replays, 0U) << f.stats();
  EXPECT_EQ(warnings_.count({"backward", "another thread that synchronized the device", "later backwards try again"}), 1U)
      << warnings_.all();
}

TEST_F(ForeignCapture, FailedCapturesGiveTheirMemoryBack) {
  int calls = 0;
  subject f(run_, arguments, [&](tensor_list& in) {
    const Tensor large = at::empty({64 << 20}, in[0].options().dtype(at::kByte));
    const Tensor y = at::dropout(in[0].matmul(weight_), 0.5, true);
    if (++calls > 2) {
      y.sum().item<float>();
    }
    return tensor_list{y + large.size(0)};
  });
  for (int step = 0; step < 2; ++step) {
    f({run_.random({64, 32})});
  }
  const auto before = reserved();
  for (int step = 0; step < 4; ++step) {
    f({run_.random({64, 32})});
  }
  EXPECT_LE(reserved(), before + (4 << 20));
  expect_nothing_capturing();
  EXPECT_NO_THROW(run_.random({100}));
  subject good = layer();
  for (int step = 0; step < 2; ++step) {
    good({run_.random({64, 32})});
  }
  expect_replays_eagers_result(good);
}

TEST_F(ForeignCapture, ResetGivesMemoryBack) {
  const auto before = reserved();
  {
    subject f(run_, arguments, [](tensor_list& in) {
      const Tensor large = at::ones({64 << 20}, in[0].options().dtype(at::kByte));
      return tensor_list{in[0] + large[0]};
    });
    for (int step = 0; step < 5; ++step) {
      f({run_.random({64, 32})});
    }
    EXPECT_GE(f.stats().bytes_held, 64U << 20);
    f.reset();
    EXPECT_LE(reserved(), before + (4 << 20));
  }
}

TEST_F(ForeignCapture, EachDeviceHasItsOwnCapture) {
  subject f(run_, arguments, [](tensor_list& in) { return tensor_list{in[0].tanh()}; });
  for (int step = 0; step < 10; ++step) {
    const Tensor x = run_.random({64, 32}).to(step % 2 == 0 ? at::kCPU : at::kCUDA);
    EXPECT_TRUE(same_bits(f({x})[0], x.tanh()));
  }
  f.expect_captures(2);
  f.expect_replays(6);
}

TEST_F(ForeignCapture, CallsOnSeveralStreams) {
  subject f = layer();
  for (int step = 0; step < 3; ++step) {
    f({run_.random({64, 32})});
  }
  tensor_list graphed, plain;
  for (int step = 0; step < 10; ++step) {
    const c10::cuda::CUDAStreamGuard stream(at::cuda::getStreamFromPool());
    const Tensor x = run_.random({64, 32});
    graphed.push_back(f({x})[0].clone());
    plain.push_back(x.matmul(weight_).tanh());
    at::cuda::getCurrentCUDAStream().synchronize();
  }
  torch::cuda::synchronize();
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_TRUE(same_bits(graphed[i], plain[i])) << i;
  }
}

// On a CPU such a capture is refused.
TEST_F(ForeignCapture, AnotherThreadDrawsBetweenTwoDraws) {
  test_callable f(arguments, [](tensor_list& in) {
    const Tensor kept = at::dropout(in[0], 0.5, /*train=*/true);
    if (c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None) {
      std::thread([&] { at::randn({5}, in[0].options()); }).join();
    }
    return tensor_list{kept + at::rand_like(kept)};
  });
  const Tensor x = run_.random({64, 32});
  for (int call = 0; call < 3; ++call) {
    f({x});
  }
  EXPECT_EQ(f.stats().captures, 1U) << f.stats() << warnings_.all();
  for (int call = 0; call < 3; ++call) {
    at::manual_seed(call);
    const Tensor graphed = f({x})[0];
    at::manual_seed(call);
    EXPECT_TRUE(same_bits(graphed, f.plain({x})[0]));
  }
}

}  // namespace foreign_capture_test
