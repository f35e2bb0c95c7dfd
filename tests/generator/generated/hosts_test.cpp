// SPDX-License-Identifier: Apache-2.0
//
// Every callable of hosts.h through the code that is generated for it, beside the original: on a CPU, the memory of the host is that of the
// device.
#include "compare.h"
#include "hosts.graphed.h"

#include <graphed/disable.h>

#include <type_traits>

namespace {

using at::Tensor;
using generated_tests::expect_replays;
using generated_tests::expect_same;
using generated_tests::kCalls;

TEST(GeneratedHosts, ResultsAndFutures) {
  graphed::callable<&hosts::act> fast;
  static_assert(std::is_same_v<decltype(fast.async(Tensor(), Tensor())), graphed::future<Tensor>>);
  const Tensor w = at::randn({6, 3});
  std::vector<Tensor> held, expected;
  for (int call = 0; call < kCalls; ++call) {
    const Tensor obs = at::randn({1, 6});
    expected.push_back(hosts::act(obs, w));
    if (call % 2 == 0) {
      held.push_back(fast(obs, w));
      continue;
    }
    graphed::future<Tensor> coming = fast.async(obs, w);
    EXPECT_TRUE(coming.ready());
    held.push_back(coming.get());
  }
  expect_same(held, expected, "result");
  expect_replays(fast);
  expect_same({fast(at::ones({2, 6}), w)}, {hosts::act(at::ones({2, 6}), w)}, "miss");
  EXPECT_EQ(fast.stats().misses[static_cast<std::size_t>(graphed::Miss::Shape)], 1U) << fast.stats();
}

TEST(GeneratedHosts, ResultsHaveNoHistory) {
  graphed::callable<&hosts::act> fast;
  const Tensor w = at::randn({6, 3}).requires_grad_();
  for (int call = 0; call < kCalls; ++call) {
    const Tensor obs = at::randn({1, 6});
    const Tensor result = fast(obs, w);
    EXPECT_FALSE(result.requires_grad());
    expect_same({result}, {hosts::act(obs, w).detach()}, "result");
  }
  expect_replays(fast);
  const graphed::DisableGuard eager;
  EXPECT_FALSE(fast(at::randn({1, 6}), w).requires_grad());
}

TEST(GeneratedHosts, OptionalAndByValue) {
  graphed::callable<&hosts::masked> fast;
  for (int call = 0; call < 2 * kCalls; ++call) {
    const Tensor obs = at::randn({4});
    const auto mask = call % 2 == 0 ? std::optional(at::randn({4}).gt(0)) : std::nullopt;
    const Tensor got = fast(obs, mask, 0.5 * call);  // on the current GPU, where there is one
    const auto mask_there = mask ? std::optional(mask->to(got.device())) : std::nullopt;
    expect_same({got}, {hosts::masked(obs.to(got.device()), mask_there, graphed::Scalar(0.5 * call))}, "result");
  }
  expect_replays(fast);
}

TEST(GeneratedHosts, AggregatesBesideThem) {
  graphed::callable<&hosts::decide> fast;
  for (int call = 0; call < 4 * kCalls; ++call) {
    const Tensor obs = at::randn({6});
    const std::vector<Tensor> hs(call % 2 == 0 ? 1 : 2, at::randn({6}));
    const std::tuple<bool> config(call % 4 < 2);
    const hosts::Decision got = fast.async(obs, hs, config).get();
    const hosts::Decision expected = hosts::decide(obs, hs, config);
    expect_same({got.action}, {expected.action}, "action");
    expect_same(got.scores, expected.scores, "score");
    EXPECT_EQ(got.best, expected.best);
  }
  expect_replays(fast);
}

TEST(GeneratedHosts, PaddedRows) {
  graphed::callable<&hosts::rows> fast;
  const Tensor w = at::randn({6, 3});
  for (int call = 0; call < 3 * kCalls; ++call) {
    const Tensor obs = at::randn({call % 8 + 1, 6});
    const auto [product, sum] = fast(obs, w);
    const auto [expected_product, expected_sum] = hosts::rows(obs, w);
    EXPECT_TRUE(at::allclose(product, expected_product));
    expect_same({sum}, {expected_sum}, "sum");
  }
  expect_replays(fast);
}

TEST(GeneratedHosts, GradientsOfTheOthers) {
  graphed::callable<&hosts::weighed> fast;
  const Tensor w = at::randn({3}).requires_grad_(), same = w.detach().clone().requires_grad_();
  for (int call = 0; call < kCalls; ++call) {
    const Tensor x = at::randn({3});
    fast(x, w).backward();
    hosts::weighed(x, same).backward();
    expect_same({w.grad()}, {same.grad()}, "gradient");
  }
  expect_replays(fast);
}

TEST(GeneratedHosts, AStep) {
  graphed::callable<&hosts::learn> fast;
  const Tensor w = at::randn({2}).requires_grad_(), same = w.detach().clone().requires_grad_();
  for (int call = 0; call < kCalls; ++call) {
    const Tensor x = at::randn({2});
    expect_same({fast(w, x)}, {hosts::learn(same, x)}, "loss");
    expect_same({w.grad()}, {same.grad()}, "gradient");
  }
  expect_replays(fast);
}

TEST(GeneratedHosts, PartsOfAnAggregate) {
  graphed::callable<&hosts::of_batch> fast;
  const Tensor w = at::randn({3}).requires_grad_(), same = w.detach().clone().requires_grad_();
  for (int call = 0; call < 2 * kCalls; ++call) {
    const hosts::Batch batch{at::randn({4, 3}), call % 2 == 0 ? std::optional(at::randn({4})) : std::nullopt, at::randn({})};
    const hosts::Batch before = batch;
    const Tensor got = fast(batch, w), expected = hosts::of_batch(batch, same);
    expect_same({got.detach()}, {expected.detach()}, "result");
    got.backward();
    expected.backward();
    expect_same({w.grad()}, {same.grad()}, "gradient");
    EXPECT_TRUE(batch.rows.is_same(before.rows) && batch.scale.is_same(before.scale));
  }
  expect_replays(fast);
}

TEST(GeneratedHosts, ElementsOfLists) {
  graphed::callable<&hosts::of_lists> fast;
  const std::vector<Tensor> ys{at::randn({3}), at::randn({3})};
  for (int call = 0; call < 4 * kCalls; ++call) {
    const std::vector<Tensor> xs(call % 2 == 0 ? 1 : 2, at::randn({3}));
    const std::array<Tensor, 2> zs{at::randn({3}), at::randn({3})};
    expect_same(fast.async(xs, ys, zs).get(), hosts::of_lists(xs, ys, zs), "result");
  }
  expect_replays(fast);
}

TEST(GeneratedHosts, PartsOfMapsAndPairs) {
  graphed::callable<&hosts::of_maps> fast;
  for (int call = 0; call < kCalls; ++call) {
    const std::map<std::string, Tensor> named{{"a", at::randn({2})}, {"b", at::randn({2})}};
    const std::vector<std::pair<Tensor, Tensor>> pairs{{at::randn({2}), at::randn({2})}, {at::randn({2}), at::randn({2})}};
    const Tensor x = at::randn({2});
    expect_same({fast(named, pairs, x)}, {hosts::of_maps(named, pairs, x)}, "result");
  }
  expect_replays(fast);
}

TEST(GeneratedHosts, AMethodWithoutAResult) {
  hosts::Counter counter;
  graphed::callable<&hosts::Counter::add> fast(counter);
  Tensor expected = at::zeros({3});
  for (int call = 0; call < kCalls; ++call) {
    const Tensor x = at::randn({3});
    expected.add_(x);
    if (call % 2 == 0) {
      fast(x);
    } else {
      fast.async(x).get();
    }
    expect_same({counter.total}, {expected}, "total");
  }
  expect_replays(fast);
}

TEST(GeneratedHosts, CapturedAhead) {
  graphed::callable<&hosts::act> fast;
  const Tensor w = at::randn({6, 3}), obs = at::randn({1, 6});
  fast.prepare(obs, w);
  expect_same({fast(obs, w)}, {hosts::act(obs, w)}, "result");
  EXPECT_EQ(fast.stats().warmups, 0U) << fast.stats();
}

}  // namespace
