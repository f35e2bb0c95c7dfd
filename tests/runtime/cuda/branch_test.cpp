// SPDX-License-Identifier: Apache-2.0
//
// Which nodes of a graph come one after another.
#include "support.h"

#include "watch/recorder.h"
#include "watch/recording.h"

#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

namespace graphed::testing {
namespace branch_test {

class cuda_branch : public cuda_test {
 protected:
  static std::unique_ptr<executable> capture_on_branches(pool& memory, const body_function& body,
                                                         const std::function<void(cudaGraph_t)>& inspect) {
    const auto seen = make_recording();
    return cuda().capture(
        device(), memory, seen,
        [&](open_capture& capture) {
          capture.begin_with({});
          const recording_scope scope(*seen);
          body();
        },
        [&](const captured_graph& graph) { inspect(graph.raw()); }, capture_lane::usual, /*branches=*/3);
  }
};

/// The nodes on the longest way through the graph.
std::size_t depth_of(cudaGraph_t graph) {
  std::size_t count = 0;
  C10_CUDA_CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  std::vector<cudaGraphNode_t> from(count), to(count);
  std::vector<cudaGraphEdgeData> data(count);
  C10_CUDA_CHECK(cudaGraphGetEdges(graph, from.data(), to.data(), data.data(), &count));
  std::map<cudaGraphNode_t, std::size_t> depth;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t below = std::max<std::size_t>(depth[from[i]], 1) + 1;
      if (depth[to[i]] < below) {
        depth[to[i]] = below;
        changed = true;
      }
    }
  }
  std::size_t most = 1;
  for (const auto& [node, own] : depth) {
    most = std::max(most, own);
  }
  return most;
}

std::size_t nodes_of(cudaGraph_t graph) {
  std::size_t count = 0;
  C10_CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &count));
  return count;
}

TEST_F(cuda_branch, chains_that_need_nothing_of_one_another_lie_side_by_side) {
  const auto memory = make_pool();
  const at::Tensor x = random(), y = random(), z = filled(0);
  const at::Tensor expected = x.sin().sin().sin().sin() + y.cos().cos().cos().cos();
  const auto work = capture_on_branches(
      *memory, [&] { z.copy_(x.sin().sin().sin().sin() + y.cos().cos().cos().cos()); },
      [](cudaGraph_t graph) {
        EXPECT_EQ(nodes_of(graph), 10U);
        EXPECT_EQ(depth_of(graph), 6U);
      });
  work->replay();
  EXPECT_TRUE(at::equal(z, expected));
}

TEST_F(cuda_branch, a_chain_stays_a_chain) {
  const auto memory = make_pool();
  const at::Tensor x = random();
  capture_on_branches(
      *memory, [&] { x.sin_().cos_().tan_().exp_(); },
      [](cudaGraph_t graph) {
        EXPECT_EQ(nodes_of(graph), 4U);
        EXPECT_EQ(depth_of(graph), 4U);
      });
}

TEST_F(cuda_branch, tensors_that_are_made_of_none_have_their_place) {
  const auto memory = make_pool();
  const at::Tensor x = random(), z = filled(0);
  const auto work = capture_on_branches(
      *memory, [&] { z.copy_((at::full({64, 64}, 2, device()) + 1) * x.sin().cos()); },
      [](cudaGraph_t graph) {
        EXPECT_EQ(nodes_of(graph), 6U);
        EXPECT_EQ(depth_of(graph), 4U);
      });
  work->replay();
  EXPECT_TRUE(at::equal(z, (at::full({64, 64}, 2, device()) + 1) * x.sin().cos()));
}

TEST_F(cuda_branch, a_result_that_outgrows_its_memory_ends_the_order) {
  const auto memory = make_pool();
  const at::Tensor x = random();
  const auto body = [&] {
    at::Tensor small = at::empty({4}, device());
    at::sin_out(small, x);
    x.copy_(small);
  };
  EXPECT_THROW(capture_on_branches(*memory, body, [](cudaGraph_t) {}), unordered_work);
}

TEST_F(cuda_branch, work_of_others_cannot_be_put_in_order) {
  const auto memory = make_pool();
  const at::Tensor x = random(), y = filled(0);
  const auto body = [&] {
    const at::Tensor left = x.sin(), right = x.cos();
    C10_CUDA_CHECK(cudaMemcpyAsync(y.mutable_data_ptr(), right.const_data_ptr(), y.nbytes(), cudaMemcpyDeviceToDevice,
                                   c10::cuda::getCurrentCUDAStream()));
    y.add_(left);
  };
  EXPECT_THROW(capture_on_branches(*memory, body, [](cudaGraph_t) {}), unordered_work);
  EXPECT_FALSE(is_capturing(c10::cuda::getCurrentCUDAStream()));
  const auto work = capture(*memory, body);
  work->replay();
  EXPECT_TRUE(at::equal(y, x.cos() + x.sin()));
}

TEST_F(cuda_branch, an_operator_that_throws_leaves_no_capture_behind) {
  const auto memory = make_pool();
  const at::Tensor x = random();
  EXPECT_THROW(capture_on_branches(
                   *memory,
                   [&] {
                     const at::Tensor left = x.sin(), right = x.cos();
                     left.mm(random({3, 5}));
                   },
                   [](cudaGraph_t) {}),
               c10::Error);
  EXPECT_THROW(capture_on_branches(
                   *memory,
                   [&] {
                     const at::Tensor left = x.sin(), right = x.cos();
                     try {
                       left.mm(random({3, 5}));
                     } catch (const c10::Error&) {
                       left.add_(right);
                     }
                   },
                   [](cudaGraph_t) {}),
               unordered_work);
  EXPECT_EQ(c10::cuda::getCurrentCUDAStream(), c10::cuda::getDefaultCUDAStream());
  synchronize();
}

}  // namespace branch_test
}  // namespace graphed::testing
