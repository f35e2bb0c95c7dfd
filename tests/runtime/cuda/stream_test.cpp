// SPDX-License-Identifier: Apache-2.0
//
// Warm-ups run on a stream of their own, in order with the caller's.
#include "support.h"

#include <stdexcept>

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

}  // namespace stream_test
}  // namespace graphed::testing
