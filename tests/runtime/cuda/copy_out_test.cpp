// SPDX-License-Identifier: Apache-2.0
//
// Copies at the end of a graph, out of its memory: within the launch, to the addresses that each launch gets.
#include "support.h"

#include <functional>
#include <thread>

namespace graphed::testing {
namespace copy_out_test {

class cuda_copy_out : public cuda_test {
 protected:
  /// A graph that doubles what is copied in, and ends with a copy of that.
  void make(at::IntArrayRef shape = {64, 64}, const std::function<void()>& then = [] {}) {
    work_ = cuda().capture(
        device(), *memory_, make_recording(),
        [&](open_capture& open) {
          own_ = at::empty(shape, device());
          open.begin_with({own_});
          own_.mul_(2);
          open.end_with({own_});
          then();
        },
        [](const captured_graph&) {});
  }
  void copy_in(const at::Tensor& from) { work_->copy_in(0, own_, from); }

  std::unique_ptr<pool> memory_ = at::cuda::is_available() ? make_pool() : nullptr;
  at::Tensor own_;
  std::unique_ptr<executable> work_;
};

TEST_F(cuda_copy_out, reaches_another_tensor_on_each_launch) {
  make();
  for (int i = 0; i < 4; ++i) {
    const auto from = random(), to = filled(-1);
    copy_in(from);
    EXPECT_TRUE(work_->copy_out(0, to));
    work_->replay();
    EXPECT_TRUE(at::equal(to, from * 2)) << "launch " << i;
  }
}

TEST_F(cuda_copy_out, follows_static_memory_that_another_threads_synchronization_does_not_end) {
  cudaError_t answer = cudaErrorUnknown;
  work_ = cuda().capture(
      device(), *memory_, make_recording(),
      [&](open_capture& open) {
        own_ = at::empty({64, 64}, device());
        std::thread([&] { answer = cudaDeviceSynchronize(); }).join();
        open.begin_with({own_});
        own_.mul_(2);
        open.end_with({own_});
      },
      [](const captured_graph&) {});
  EXPECT_EQ(answer, cudaSuccess);
  EXPECT_GE(memory_->bytes(), own_.nbytes());
  const auto from = random(), to = filled(-1);
  copy_in(from);
  EXPECT_TRUE(work_->copy_out(0, to));
  work_->replay();
  EXPECT_TRUE(at::equal(to, from * 2));
}

TEST_F(cuda_copy_out, leaves_other_threads_memory_out_of_the_pool_before_the_capture_as_well) {
  const uint64_t before = memory_->bytes();
  uint64_t meanwhile = 1;
  at::Tensor theirs;
  work_ = cuda().capture(
      device(), *memory_, make_recording(),
      [&](open_capture& open) {
        std::thread([&] { theirs = at::empty({4 << 20}, device()); }).join();
        meanwhile = memory_->bytes();
        own_ = at::empty({64, 64}, device());
        open.begin_with({own_});
        own_.mul_(2);
      },
      [](const captured_graph&) {});
  EXPECT_EQ(meanwhile, before);
}

TEST_F(cuda_copy_out, is_the_last_that_another_threads_synchronization_would_end) {
  cudaError_t answer = cudaErrorUnknown;
  make({64, 64}, [&] { std::thread([&] { answer = cudaDeviceSynchronize(); }).join(); });
  EXPECT_EQ(answer, cudaSuccess);
  const auto from = random(), to = filled(-1);
  copy_in(from);
  EXPECT_TRUE(work_->copy_out(0, to));
  work_->replay();
  EXPECT_TRUE(at::equal(to, from * 2));
}

TEST_F(cuda_copy_out, holds_for_one_launch) {
  make();
  const auto from = random(), to = filled(-1);
  copy_in(from);
  ASSERT_TRUE(work_->copy_out(0, to));
  work_->replay();
  to.fill_(5);
  copy_in(from);
  work_->replay();
  EXPECT_TRUE(at::equal(to, filled(5)));
}

TEST_F(cuda_copy_out, refuses_another_layout) {
  make();
  EXPECT_FALSE(work_->copy_out(0, filled(0).t()));
  EXPECT_FALSE(work_->copy_out(0, filled(0, {64, 32})));
  EXPECT_FALSE(work_->copy_out(0, filled(0).to(at::kDouble)));
  EXPECT_FALSE(work_->copy_out(0, filled(0).cpu()));
  EXPECT_FALSE(work_->copy_out(0, filled(0, {64, 128}).slice(1, 0, 128, 2)));
}

TEST_F(cuda_copy_out, of_nothing) {
  make({0, 3});
  const auto to = filled(0, {0, 3});
  copy_in(filled(0, {0, 3}));
  EXPECT_TRUE(work_->copy_out(0, to));
  work_->replay();
  synchronize();
}

TEST_F(cuda_copy_out, into_what_is_copied_in) {
  make();
  const auto state = filled(1);
  for (int i = 0; i < 5; ++i) {
    copy_in(state);
    ASSERT_TRUE(work_->copy_out(0, state));
    work_->replay();
  }
  EXPECT_TRUE(at::equal(state, filled(32)));
}

TEST_F(cuda_copy_out, of_a_graph_that_has_no_such_copies) {
  work_ = cuda().capture(
      device(), *memory_, make_recording(),
      [&](open_capture& open) {
        own_ = at::empty({64, 64}, device());
        open.begin_with({own_});
        own_.mul_(2);
        open.end_with({});
      },
      [](const captured_graph&) {});
  EXPECT_FALSE(work_->copy_out(0, filled(0)));
}

}  // namespace copy_out_test
}  // namespace graphed::testing
