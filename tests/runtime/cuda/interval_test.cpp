// SPDX-License-Identifier: Apache-2.0
//
// The device's time of a call: measured on its stream, read without waiting, and without disturbing a capture.
#include "support.h"

#include <ATen/cuda/Sleep.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

namespace graphed::testing {
namespace interval_test {

class cuda_interval : public cuda_test {
 protected:
  static std::unique_ptr<interval> sleeping();
  static std::vector<std::unique_ptr<interval>> several_short_ones();
};

constexpr int64_t cycles = 200'000'000;  // no GPU does them in less than 40 ms

std::unique_ptr<interval> cuda_interval::sleeping() {
  auto made = cuda().begin_interval(device());
  at::cuda::sleep(cycles);
  made->stop();
  return made;
}

// The device may be another process's in between.
std::vector<std::unique_ptr<interval>> cuda_interval::several_short_ones() {
  std::vector<std::unique_ptr<interval>> made;
  for (int i = 0; i < 8; ++i) {
    made.push_back(cuda().begin_interval(device()));
    made.back()->stop();
  }
  return made;
}

double least_microseconds(const std::vector<std::unique_ptr<interval>>& all) {
  std::vector<double> each;
  std::transform(all.begin(), all.end(), std::back_inserter(each), [](const auto& one) { return *one->microseconds(); });
  return *std::min_element(each.begin(), each.end());
}

TEST_F(cuda_interval, holds_what_the_stream_did) {
  const auto long_one = sleeping();
  const auto short_ones = several_short_ones();
  EXPECT_FALSE(long_one->microseconds());
  EXPECT_FALSE(short_ones.front()->microseconds());
  synchronize();
  EXPECT_GE(*long_one->microseconds(), 40'000);
  EXPECT_LT(least_microseconds(short_ones), 20'000);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(cuda_interval, is_of_the_stream_that_was_current) {
  const c10::cuda::CUDAStreamGuard sleeps(c10::cuda::getStreamFromPool());
  at::cuda::sleep(cycles);
  const c10::cuda::CUDAStreamGuard other(c10::cuda::getStreamFromPool());
  const auto beside = several_short_ones();
  C10_CUDA_CHECK(cudaStreamSynchronize(c10::cuda::getCurrentCUDAStream()));
  EXPECT_LT(least_microseconds(beside), 20'000);
}

TEST_F(cuda_interval, disturbs_no_capture_of_its_thread) {
  const auto passed = sleeping();
  synchronize();
  for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal}) {
    const auto captured = c10::cuda::getStreamFromPool();
    const c10::cuda::CUDAStreamGuard current(c10::cuda::getStreamFromPool());
    C10_CUDA_CHECK(cudaStreamBeginCapture(captured, mode));
    EXPECT_TRUE(passed->microseconds());
    EXPECT_FALSE(sleeping()->microseconds());
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(captured, &graph), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    synchronize();
  }
}

}  // namespace interval_test
}  // namespace graphed::testing
