// SPDX-License-Identifier: Apache-2.0
//
// The device's time of a call: measured on its stream, read without waiting, and without disturbing a capture.
#include "support.h"

#include <ATen/cuda/Sleep.h>

namespace graphed::testing {
namespace interval_test {

class cuda_interval : public cuda_test {
 protected:
  static std::unique_ptr<interval> sleeping();
};

constexpr int64_t cycles = 100'000'000;  // no GPU does them in less than 20 ms

std::unique_ptr<interval> cuda_interval::sleeping() {
  auto made = cuda().begin_interval(device());
  at::cuda::sleep(cycles);
  made->stop();
  return made;
}

TEST_F(cuda_interval, holds_what_the_stream_did) {
  const auto long_one = sleeping();
  const auto short_one = cuda().begin_interval(device());
  short_one->stop();
  EXPECT_FALSE(long_one->microseconds());
  EXPECT_FALSE(short_one->microseconds());
  synchronize();
  EXPECT_GE(*long_one->microseconds(), 20'000);
  EXPECT_LT(*short_one->microseconds(), 20'000);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(cuda_interval, is_of_the_stream_that_was_current) {
  const auto scope = cuda().enter_side_stream(device());
  at::cuda::sleep(cycles);
  const c10::cuda::CUDAStreamGuard other(c10::cuda::getStreamFromPool());
  const auto beside = cuda().begin_interval(device());
  beside->stop();
  C10_CUDA_CHECK(cudaStreamSynchronize(c10::cuda::getCurrentCUDAStream()));
  EXPECT_LT(*beside->microseconds(), 20'000);
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
