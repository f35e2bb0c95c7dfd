// SPDX-License-Identifier: Apache-2.0
//
// Pools that several graphs share, and who keeps their memory.
#include "support/standalone.h"

#include <graphed/error.h>

#include <optional>

namespace standalone_pool_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

class StandalonePool : public device_test {
 protected:
  at::TensorOptions options() const { return at::TensorOptions(at::kFloat).device(device()); }
  Tensor random(at::IntArrayRef sizes = {64, 64}) const { return at::randn(sizes, options()); }
};
INSTANTIATE_TEST_SUITE_P(, StandalonePool, ::testing::Values("cpu", "cuda"), [](const auto& info) { return std::string(info.param); });

TEST_P(StandalonePool, GraphsShareIt) {
  const Tensor x = random();
  const PoolHandle pool = graph_pool_handle(device());
  EXPECT_EQ(pool.device().type(), device().type());
  EXPECT_EQ(pool.bytes_held(), 0U);
  Tensor a;
  Tensor b;
  Tensor c;
  auto first = make_graph(device(), [&] { a = (x * x).relu(); }, pool);
  auto second = make_graph(device(), [&] { b = (a * x).relu(); }, first.pool());
  auto third = make_graph(device(), [&] { c = (b + a).tanh(); }, pool);
  EXPECT_EQ(second.pool(), pool);
  EXPECT_GE(pool.bytes_held(), a.nbytes() + b.nbytes() + c.nbytes());
  for (int i = 0; i < 3; ++i) {
    x.copy_(random());
    first.replay();
    second.replay();
    third.replay();
    const Tensor expected = (x * x).relu();
    EXPECT_TRUE(same_bits(c, ((expected * x).relu() + expected).tanh()));
  }
}

TEST_P(StandalonePool, EachGraphHasItsOwnOtherwise) {
  const Tensor x = random();
  Tensor a;
  Tensor b;
  auto first = make_graph(device(), [&] { a = x + x; });
  auto second = make_graph(device(), [&] { b = x * x; });
  EXPECT_TRUE(first.pool());
  EXPECT_NE(first.pool(), second.pool());
}

TEST_P(StandalonePool, MayDieInAnyOrder) {
  const Tensor x = random();
  for (int order = 0; order < 6; ++order) {
    PoolHandle pool = graph_pool_handle(device());
    Tensor y;
    std::optional<ExecutableGraph> first = make_graph(device(), [&] { y = (x + x).relu(); }, pool);
    Tensor z;
    std::optional<ExecutableGraph> second = make_graph(device(), [&] { z = (y * x).relu(); }, pool);
    first->replay();
    second->replay();
    const Tensor expected = ((x + x).relu() * x).relu();
    const auto drop = [&](int what) { what == 0 ? first.reset() : what == 1 ? (pool = {}, void()) : y.reset(); };
    drop(order / 2);
    drop((order / 2 + 1 + order % 2) % 3);
    if (first) {
      first->replay();
    }
    second->replay();
    EXPECT_TRUE(same_bits(z, expected)) << order;
    second.reset();
    EXPECT_TRUE(same_bits(z, expected)) << "a tensor outlives its graph, order " << order;
  }
}

TEST_P(StandalonePool, IsEmptyAfterItsGraphsOnACpu) {
  if (!device().is_cpu()) {
    GTEST_SKIP() << "the caching allocator keeps segments until they are asked for: see cuda/standalone_test.cpp";
  }
  const Tensor x = random();
  const PoolHandle pool = graph_pool_handle(device());
  Graph graph(device(), /*keep_graph=*/true);
  {
    const graphed::CaptureGuard scope(graph, {std::nullopt, pool});
    const Tensor y = x + x;
  }
  auto run = graph.instantiate();
  const uint64_t bytes = pool.bytes_held();
  EXPECT_EQ(bytes, x.nbytes());
  graph.reset();
  EXPECT_EQ(pool.bytes_held(), bytes) << "the executable graph still needs it";
  run.reset();
  EXPECT_EQ(pool.bytes_held(), 0U);
}

TEST_P(StandalonePool, IsUsedByEagerOperatorsInAScope) {
  const MemPool memory(device());
  Tensor x;
  Tensor y;
  {
    const MemPoolGuard scope(memory);
    x = random();
    y = x * x;
  }
  if (!device().is_cpu()) {
    EXPECT_GE(memory.bytes_held(), x.nbytes() + y.nbytes());
  }
  Tensor z;
  auto graph = make_graph(device(), [&] { z = y + x; }, memory.handle());
  graph.replay();
  EXPECT_TRUE(same_bits(z, y + x));
  EXPECT_TRUE(same_bits(y, x * x));
  EXPECT_EQ(memory.device(), memory.handle().device());
}

TEST_P(StandalonePool, AHandleOfNothing) {
  const PoolHandle none;
  EXPECT_FALSE(none);
  EXPECT_EQ(none.bytes_held(), 0U);
  EXPECT_TRUE(contains(text_of<Error>([&] { none.device(); }), "names no pool"));
  EXPECT_EQ(none, PoolHandle());
}

}  // namespace standalone_pool_test
