// SPDX-License-Identifier: Apache-2.0
//
// Replays of two pools run side by side on two streams, those of one pool one after another.
#include "../support/test_callable.h"
#include "support.h"

#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/Sleep.h>

#include <map>
#include <vector>

namespace graphed::testing {
namespace order_test {

constexpr int64_t some_hundred_milliseconds = 500'000'000;  // in cycles: far longer than a launch takes

class cuda_order : public cuda_test {
 protected:
  /// Launches `earlier`, then `later`, on a stream each, and says whether that one ended first.
  static bool overtakes(const body_function& earlier, const body_function& later) {
    at::cuda::CUDAEvent ends[2] = {at::cuda::CUDAEvent(cudaEventDefault), at::cuda::CUDAEvent(cudaEventDefault)};
    synchronize();
    for (const int i : {0, 1}) {
      const c10::cuda::CUDAStreamGuard on_stream(c10::cuda::getStreamFromPool());
      (i == 0 ? earlier : later)();
      ends[i].record();
    }
    synchronize();
    return ends[1].elapsed_time(ends[0]) > 0;
  }
  static void sleep() { at::cuda::sleep(some_hundred_milliseconds); }
};

TEST_F(cuda_order, of_two_pools_is_none) {
  auto x = filled(1);
  standalone_graph slow(sleep), fast([&] { x.add_(1); });
  EXPECT_TRUE(overtakes([&] { slow.replay(); }, [&] { fast.replay(); }));
  EXPECT_TRUE(at::equal(x, filled(2)));
}

TEST_F(cuda_order, of_one_pool_is_that_of_its_replays) {
  auto x = filled(1);
  standalone_graph slow(sleep);
  standalone_graph fast([&] { x.add_(1); }, slow.memory);
  EXPECT_FALSE(overtakes([&] { slow.replay(); }, [&] { fast.replay(); }));
  EXPECT_TRUE(at::equal(x, filled(2)));
}

TEST_F(cuda_order, is_shared_by_the_fifth_pool) {
  std::map<cudaStream_t, std::vector<std::unique_ptr<standalone_graph>>> by_stream;
  for (int i = 0; i < 5; ++i) {
    cudaStream_t captured = nullptr;
    auto graph = std::make_unique<standalone_graph>([&] {
      captured = c10::cuda::getCurrentCUDAStream().stream();
      sleep();
    });
    by_stream[captured].push_back(std::move(graph));
  }
  ASSERT_EQ(by_stream.size(), 4U);
  auto x = filled(1);
  for (auto& on_stream : by_stream) {
    auto& graphs = on_stream.second;
    if (graphs.size() == 2) {
      graphs[1] = std::make_unique<standalone_graph>([&] { x.add_(1); }, graphs[1]->memory);
      EXPECT_FALSE(overtakes([&] { graphs[0]->replay(); }, [&] { graphs[1]->replay(); }));
    }
  }
  EXPECT_TRUE(at::equal(x, filled(2)));
}

TEST_F(cuda_order, is_free_for_the_next_pool_once_its_pools_have_died) {
  std::map<cudaStream_t, int> captured;
  for (int i = 0; i < 6; ++i) {
    const standalone_graph graph([&] { ++captured[c10::cuda::getCurrentCUDAStream().stream()]; });
  }
  EXPECT_EQ(captured.size(), 1U);
}

// Split along their inner dimension, so that they have partial sums in a workspace.
TEST_F(cuda_order, of_two_pools_leaves_products_alone) {
  const auto a = random({64, 65536}), b = random({65536, 64}), c = random({64, 65536}), d = random({65536, 64});
  const auto expected = a.matmul(b), other_expected = c.matmul(d);
  at::Tensor y, z;
  standalone_graph one([&] { y = a.matmul(b); }), other([&] { z = c.matmul(d); });
  const auto first = c10::cuda::getStreamFromPool(), second = c10::cuda::getStreamFromPool();
  synchronize();
  std::vector<at::Tensor> results, other_results;
  for (int i = 0; i < 100; ++i) {
    {
      const c10::cuda::CUDAStreamGuard on_stream(first);
      one.replay();
      results.push_back(y.clone());
    }
    const c10::cuda::CUDAStreamGuard on_stream(second);
    other.replay();
    other_results.push_back(z.clone());
  }
  synchronize();
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_TRUE(at::equal(results[i], expected)) << "replay " << i;
    EXPECT_TRUE(at::equal(other_results[i], other_expected)) << "replay " << i;
  }
}

// Large static inputs of one order are in one place.
TEST_F(cuda_order, of_two_callables_is_none_and_their_inputs_stay_apart) {
  const c10::AutoGradMode no_grad(false);
  constexpr int64_t large = int64_t{1} << 20;
  bool is_slow = false;
  const auto plus_one = [&](tensor_list& in) {
    if (is_slow) {
      sleep();
    }
    return tensor_list{in[0] + 1};
  };
  test_callable slow({{"x", {large}}}, plus_one), fast({{"x", {large}}}, plus_one);
  const auto x = random({large}), y = random({large});
  for (int call = 0; call < 3; ++call) {
    is_slow = true;
    slow({x});
    is_slow = false;
    fast({y});
  }
  at::Tensor got, other;
  EXPECT_TRUE(overtakes([&] { got = slow({x})[0]; }, [&] { other = fast({y})[0]; }));
  EXPECT_TRUE(at::equal(got, x + 1));
  EXPECT_TRUE(at::equal(other, y + 1));
  EXPECT_EQ(slow.stats().replays, 2U) << slow.stats();
}

// A leaf's gradient is in one place for all callables, which one of them writes after another.
TEST_F(cuda_order, of_two_callables_that_write_one_gradient_is_that_of_their_backwards) {
  settings in_graph;
  in_graph.grads_in_graph = true;
  const auto w = random({64, 64}).requires_grad_();
  const auto x = random();
  bool is_slow = false;
  const auto product = [&](tensor_list& in) { return tensor_list{(in[0] * w).sum()}; };
  const auto slow_product = [&](tensor_list& in) {
    const auto v = in[0] * w;
    v.register_hook([&](const at::Tensor& gradient) {
      if (is_slow) {
        sleep();
      }
      return gradient;
    });
    return tensor_list{v.sum()};
  };
  test_callable slow({{"x", {64, 64}}}, slow_product, in_graph), fast({{"x", {64, 64}}}, product, in_graph);
  is_slow = true;
  const auto backward_of = [&](test_callable& f, const at::Tensor& in) {
    const auto loss = f({in})[0];
    w.mutable_grad() = at::Tensor();
    loss.backward();
  };
  for (int call = 0; call < 5; ++call) {
    backward_of(slow, x);
    backward_of(fast, x);
  }
  const auto other = random();
  overtakes([&] { backward_of(slow, x); }, [&] { backward_of(fast, other); });
  EXPECT_TRUE(at::equal(w.grad(), other));
}

}  // namespace order_test
}  // namespace graphed::testing
