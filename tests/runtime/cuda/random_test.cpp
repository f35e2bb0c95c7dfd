// SPDX-License-Identifier: Apache-2.0
//
// Random numbers in graphs continue the sequence of the default generator, as eager operators would.
#include "support.h"

#include <vector>

namespace graphed::testing {
namespace random_test {

class cuda_random : public cuda_test {};

at::Tensor draw(const at::Tensor& x) { return at::dropout(x, 0.5, true) + at::rand({1000}, device()); }

TEST_F(cuda_random, interleaves_with_eager) {
  const auto x = filled(1, {1000});
  at::Tensor y;
  standalone_graph graph([&] { y = draw(x); });
  std::vector<at::Tensor> got;
  at::manual_seed(7);
  for (int i = 0; i < 5; ++i) {
    graph.replay();
    got.push_back(y.clone());
    got.push_back(at::randn({333}, device()));
  }
  const auto offset = generator_offset();
  at::manual_seed(7);
  for (std::size_t i = 0; i < got.size(); i += 2) {
    EXPECT_TRUE(at::equal(got[i], draw(x))) << "replay " << i / 2;
    EXPECT_TRUE(at::equal(got[i + 1], at::randn({333}, device()))) << "eager draw " << i / 2;
  }
  EXPECT_EQ(generator_offset(), offset);
}

TEST_F(cuda_random, follows_a_new_seed) {
  const auto x = filled(1, {1000});
  at::Tensor y;
  standalone_graph graph([&] { y = draw(x); });
  for (const uint64_t seed : {uint64_t{3}, uint64_t{4}, ~uint64_t{0}, uint64_t{3}}) {
    at::manual_seed(seed);
    const auto expected = draw(x);
    at::manual_seed(seed);
    graph.replay();
    EXPECT_TRUE(at::equal(y, expected)) << "seed " << seed;
  }
}

TEST_F(cuda_random, is_shared_by_graphs_on_two_streams) {
  const auto x = filled(1, {1000});
  at::Tensor a;
  at::Tensor b;
  standalone_graph first([&] { a = draw(x); });
  standalone_graph second([&] { b = at::randn({500}, device()); });
  const auto stream = c10::cuda::getStreamFromPool();
  synchronize();
  at::manual_seed(9);
  for (int i = 0; i < 3; ++i) {
    first.replay();
    const c10::cuda::CUDAStreamGuard on_stream(stream);
    second.replay();
  }
  synchronize();
  at::manual_seed(9);
  at::Tensor last_a;
  at::Tensor last_b;
  for (int i = 0; i < 3; ++i) {
    last_a = draw(x);
    last_b = at::randn({500}, device());
  }
  EXPECT_TRUE(at::equal(a, last_a));
  EXPECT_TRUE(at::equal(b, last_b));
}

TEST_F(cuda_random, is_not_moved_by_a_capture) {
  at::randn({10}, device());
  const auto offset = generator_offset();
  standalone_graph graph([&] { at::randn({10}, device()); });
  EXPECT_EQ(generator_offset(), offset);
  EXPECT_THROW(standalone_graph([&] {
                 at::randn({10}, device());
                 throw std::runtime_error("the callable's own");
               }),
               std::runtime_error);
  EXPECT_EQ(generator_offset(), offset);
}

TEST_F(cuda_random, in_flight_outlives_its_graph) {
  const auto x = filled(1, {1000});
  at::manual_seed(4);
  const auto expected = draw(x);
  const auto heavy = random({2048, 2048});
  at::Tensor y;
  auto graph = std::make_unique<standalone_graph>([&] {
    auto z = heavy;
    for (int i = 0; i < 20; ++i) {
      z = z.matmul(heavy);
    }
    y = draw(x);
  });
  synchronize();
  at::manual_seed(4);
  {
    const c10::cuda::CUDAStreamGuard on_stream(c10::cuda::getStreamFromPool());
    graph->replay();
  }
  graph.reset();
  std::vector<at::Tensor> others;
  for (int i = 0; i < 64; ++i) {
    others.push_back(at::full({1}, 12345 + i, at::TensorOptions(device()).dtype(at::kLong)));
  }
  synchronize();
  EXPECT_TRUE(at::equal(y, expected));
}

}  // namespace random_test
}  // namespace graphed::testing
