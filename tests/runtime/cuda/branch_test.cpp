// SPDX-License-Identifier: Apache-2.0
//
// Which nodes of a graph come one after another.
#include "support.h"

#include "watch/recorder.h"
#include "watch/recording.h"

#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <graphed/host.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <regex>

namespace graphed::testing {
namespace branch_test {

class cuda_branch : public cuda_test {
 protected:
  static std::unique_ptr<executable> capture_on_branches(pool& memory, const body_function& body,
                                                         const std::function<void(cudaGraph_t)>& inspect) {
    return capture_and_inspect(memory, body, [&](const captured_graph& graph) { inspect(graph.raw()); });
  }
  static std::unique_ptr<executable> capture_and_inspect(pool& memory, const body_function& body,
                                                         const std::function<void(const captured_graph&)>& inspect) {
    const auto seen = make_recording();
    return cuda().capture(
        device(), memory, seen,
        [&](open_capture& capture) {
          capture.begin_with({});
          const recording_scope scope(seen);
          body();
        },
        [&](const captured_graph& graph) { inspect(graph); }, capture_lane::usual, /*branches=*/3);
  }
};

/// The nodes on the longest way through the graph.
template <class Node>
std::size_t depth_of(const std::vector<std::pair<Node, Node>>& edges) {
  std::map<Node, std::size_t> depth;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [from, to] : edges) {
      const std::size_t below = std::max<std::size_t>(depth[from], 1) + 1;
      if (depth[to] < below) {
        depth[to] = below;
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

std::size_t depth_of(cudaGraph_t graph) {
  std::size_t count = 0;
  C10_CUDA_CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  std::vector<cudaGraphNode_t> from(count), to(count);
  std::vector<cudaGraphEdgeData> data(count);
  C10_CUDA_CHECK(cudaGraphGetEdges(graph, from.data(), to.data(), data.data(), &count));
  std::vector<std::pair<cudaGraphNode_t, cudaGraphNode_t>> edges;
  for (std::size_t i = 0; i < count; ++i) {
    edges.emplace_back(from[i], to[i]);
  }
  return depth_of(edges);
}

/// Of a graph that was written in Graphviz's language.
std::size_t depth_of_file(const std::string& path) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::regex edge("\"([^\"]+)\" *-> *\"([^\"]+)\"");
  std::vector<std::pair<std::string, std::string>> edges;
  for (auto found = std::sregex_iterator(text.begin(), text.end(), edge); found != std::sregex_iterator(); ++found) {
    edges.emplace_back((*found)[1], (*found)[2]);
  }
  EXPECT_FALSE(edges.empty()) << text;
  return depth_of(edges);
}

std::size_t nodes_of(cudaGraph_t graph) {
  std::size_t count = 0;
  C10_CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &count));
  return count;
}

// Of operators that are never fused: each is a node.
TEST_F(cuda_branch, chains_that_need_nothing_of_one_another_lie_side_by_side) {
  const auto memory = make_pool();
  const at::Tensor x = random(), y = random(), z = filled(0);
  const at::Tensor expected = at::hypot(x.asinh().asinh().asinh().asinh(), y.asinh().asinh().asinh().asinh());
  const auto work = capture_on_branches(
      *memory, [&] { z.copy_(at::hypot(x.asinh().asinh().asinh().asinh(), y.asinh().asinh().asinh().asinh())); },
      [](cudaGraph_t graph) {
        EXPECT_EQ(nodes_of(graph), 10U);
        EXPECT_EQ(depth_of(graph), 6U);
      });
  work->replay();
  EXPECT_TRUE(at::equal(z, expected));
}

TEST_F(cuda_branch, each_piece_beside_a_host_part_has_its_own) {
  const auto memory = make_pool();
  const at::Tensor x = random(), y = random(), z = filled(0), room = filled(0);
  const auto body = [&] {
    const at::Tensor sum = at::hypot(x.asinh().asinh().asinh(), y.asinh().asinh().asinh());
    host([room, sum] { room.copy_(sum.cpu().flip(0)); });
    z.copy_(at::hypot(room.asinh().asinh().asinh(), sum.asinh().asinh().asinh()));
  };
  const std::string path = ::testing::TempDir() + "cuda_branch-" + std::to_string(::getpid()) + ".dot";
  const auto work = capture_and_inspect(*memory, body, [&](const captured_graph& graph) {
    graph.write_dot(path);
    EXPECT_EQ(depth_of_file(path), 4U);
    EXPECT_EQ(depth_of_file(path + ".2"), 5U);
  });
  std::remove(path.c_str());
  std::remove((path + ".2").c_str());
  const at::Tensor sum = at::hypot(x.asinh().asinh().asinh(), y.asinh().asinh().asinh());
  const at::Tensor expected = at::hypot(sum.flip(0).asinh().asinh().asinh(), sum.asinh().asinh().asinh());
  for (int run = 0; run < 3; ++run) {
    z.zero_();
    work->replay();
    EXPECT_TRUE(at::equal(z, expected));
  }
}

TEST_F(cuda_branch, a_chain_stays_a_chain) {
  const auto memory = make_pool();
  const at::Tensor x = random();
  capture_on_branches(
      *memory, [&] { x.asinh_().asinh_().asinh_().asinh_(); },
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
