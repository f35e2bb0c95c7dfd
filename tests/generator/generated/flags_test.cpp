// SPDX-License-Identifier: Apache-2.0
//
// Every callable of flags.h through the code that is generated for it, beside the original.
#include "compare.h"
#include "flags.graphed.h"

#include <graphed/callables.h>

namespace {

using at::Tensor;
using generated_tests::expect_equal_calls;
using generated_tests::expect_replays;
using generated_tests::expect_same;
using generated_tests::kCalls;
using graphed::tensor_list;

TEST(GeneratedFlags, ChannelsLast) {
  graphed::callable<&flags::convolved> fast;
  for (int call = 0; call < kCalls; ++call) {
    const Tensor values = at::randn({2, 3, 8, 8}).contiguous(at::MemoryFormat::ChannelsLast);
    const tensor_list for_graphed{values.clone().requires_grad_(), at::ones({4, 3, 3, 3}).requires_grad_()};
    const tensor_list for_plain{values.clone().requires_grad_(), at::ones({4, 3, 3, 3}).requires_grad_()};
    const Tensor result = fast(for_graphed[0], for_graphed[1]);
    const Tensor expected = flags::convolved(for_plain[0], for_plain[1]);
    expect_same({result}, {expected}, "result");
    EXPECT_EQ(result.strides(), expected.strides());
    result.sum().backward();
    expected.sum().backward();
    expect_same(generated_tests::gradients_of(for_graphed), generated_tests::gradients_of(for_plain), "gradient");
  }
  expect_replays(fast);
}

TEST(GeneratedFlags, ChannelsLastOfFiveDimensions) {
  graphed::callable<&flags::shifted> fast;
  for (int call = 0; call < kCalls; ++call) {
    const Tensor volume = at::randn({1, 2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast3d);
    const Tensor result = fast(volume);
    expect_same({result}, {flags::shifted(volume)}, "result");
    EXPECT_TRUE(result.is_contiguous(at::MemoryFormat::ChannelsLast3d));
  }
  expect_replays(fast);
}

TEST(GeneratedFlags, ContiguousWhereChannelsLastIsAnnotated) {
  graphed::callable<&flags::shifted> fast;
  for (int call = 0; call < kCalls; ++call) {
    const Tensor volume = at::randn({1, 2, 3, 4, 5});
    const Tensor result = fast(volume);
    expect_same({result}, {flags::shifted(volume)}, "result");
    EXPECT_TRUE(result.is_contiguous());
  }
  expect_replays(fast);
}

TEST(GeneratedFlags, StaticIsReadAndWrittenInPlace) {
  graphed::callable<&flags::appended> fast;
  Tensor cache = at::zeros({4, 3});
  Tensor expected_cache = at::zeros({4, 3});
  for (int call = 0; call < kCalls; ++call) {
    const Tensor x = at::randn({3});
    expect_same({fast(x, cache)}, {flags::appended(x, expected_cache)}, "result");
    expect_same({cache}, {expected_cache}, "cache");
  }
  expect_replays(fast);
  Tensor moved = cache.clone();
  fast(at::ones({3}), moved);
  EXPECT_EQ(fast.stats().misses[static_cast<std::size_t>(graphed::Miss::Address)], 1U) << fast.stats();
}

TEST(GeneratedFlags, StaticWithGradients) {
  graphed::callable<&flags::looked_up> fast;
  const Tensor table = at::randn({5, 3}).requires_grad_();
  const Tensor expected_table = table.detach().clone().requires_grad_();
  for (int call = 0; call < kCalls; ++call) {
    const Tensor x = at::randn({3});
    const Tensor result = fast(x, table);
    const Tensor expected = flags::looked_up(x, expected_table);
    expect_same({result}, {expected}, "result");
    result.sum().backward();
    expected.sum().backward();
    expect_same({table.grad()}, {expected_table.grad()}, "gradient");
  }
  expect_replays(fast);
}

TEST(GeneratedFlags, OptionalPresentAndAbsent) {
  const Tensor wanting_grad = at::randn({2}).requires_grad_();
  graphed::callable<&flags::biased> biased;
  for (int round = 0; round < 2; ++round) {
    expect_equal_calls(
        {wanting_grad, wanting_grad}, [&](tensor_list& in) { return biased(in[0], in[1]); },
        [](tensor_list& in) { return flags::biased(in[0], in[1]); });
    expect_equal_calls(
        {wanting_grad}, [&](tensor_list& in) { return biased(in[0], std::nullopt); },
        [](tensor_list& in) { return flags::biased(in[0], std::nullopt); });
  }
  expect_replays(biased);
  EXPECT_EQ(biased.stats().captures, 2U) << biased.stats();

  graphed::callable<&flags::masked> masked;
  const Tensor mask = at::tensor({1, 0}).to(at::kBool);
  expect_equal_calls(
      {at::randn({2}), mask}, [&](tensor_list& in) { return masked(in[0], in[1]); },
      [](tensor_list& in) { return flags::masked(in[0], in[1]); });
  expect_equal_calls(
      {at::randn({2})}, [&](tensor_list& in) { return masked(in[0], {}); }, [](tensor_list& in) { return flags::masked(in[0], {}); });
  expect_replays(masked);
  EXPECT_EQ(masked.stats().captures, 2U) << masked.stats();
}

TEST(GeneratedFlags, InplaceWithGradients) {
  graphed::callable<&flags::decayed> fast;
  const auto run = [](auto&& callee, const tensor_list& leaves) {
    Tensor x = leaves[0] * 2;
    const Tensor result = callee(x, leaves[1]);
    (result.sum() + x.sum()).backward();
    return tensor_list{result, x, leaves[0].grad(), leaves[1].grad()};
  };
  for (int call = 0; call < kCalls; ++call) {
    const tensor_list given{at::randn({3}).requires_grad_(), at::randn({3}).requires_grad_()};
    expect_same(run(fast, generated_tests::fresh(given)), run(flags::decayed, generated_tests::fresh(given)), "result, argument, gradient");
  }
  expect_replays(fast);
}

TEST(GeneratedDtypes, EveryOne) {
  graphed::callable<&flags::every_dtype> fast;
  tensor_list sample;
  for (const at::ScalarType dtype :
       {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kFloat8_e4m3fn, at::kFloat8_e5m2, at::kComplexFloat, at::kComplexDouble,
        at::kLong, at::kInt, at::kShort, at::kChar, at::kByte, at::kBool}) {
    sample.push_back(at::ones({2}).to(dtype));
  }
  const auto call = [](auto&& callee, tensor_list& in) {
    return callee(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], in[8], in[9], in[10], in[11], in[12], in[13]);
  };
  expect_equal_calls(
      sample, [&](tensor_list& in) { return call(fast, in); }, [&](tensor_list& in) { return call(flags::every_dtype, in); });
  expect_replays(fast);
}

TEST(GeneratedScalars, LiveOnesChangeWithoutANewCapture) {
  graphed::callable<&flags::stepped> fast;
  double lr = 0.5;
  int bias = 0;
  const auto call = [&](auto&& callee, tensor_list& in) { return callee(in[0], lr, 2, bias); };
  for (int round = 0; round < 4; ++round, lr *= -0.3, ++bias) {
    expect_equal_calls(
        {at::randn({3}).requires_grad_()}, [&](tensor_list& in) { return call(fast, in); },
        [&](tensor_list& in) { return call(flags::stepped, in); });
  }
  EXPECT_EQ(fast.stats().captures, 1U) << fast.stats();
  expect_replays(fast);
  const Tensor x = at::ones({3}).requires_grad_();
  expect_same({fast(x, 0.25, 2)}, {flags::stepped(x, 0.25, 2)}, "default argument");
}

TEST(GeneratedScalars, LiveOnesAlone) {
  graphed::callable<&flags::spread> fast;
  for (int call = 0; call < kCalls; ++call) {
    expect_same({fast(call * 0.1)}, {flags::spread(call * 0.1)}, "result");
  }
  EXPECT_EQ(fast.stats().captures, 1U) << fast.stats();
  expect_replays(fast);
}

TEST(GeneratedOptions, SlotsHoldForwardsInFlight) {
  graphed::callable<&flags::in_flight> fast;
  for (int call = 0; call < kCalls; ++call) {
    tensor_list leaves;
    tensor_list expected_leaves;
    tensor_list results;
    tensor_list expected;
    for (int i = 0; i < 3; ++i) {
      leaves.push_back(at::randn({3}).requires_grad_());
      expected_leaves.push_back(leaves.back().detach().clone().requires_grad_());
      results.push_back(fast(leaves.back()));
      expected.push_back(flags::in_flight(expected_leaves.back()));
    }
    expect_same(results, expected, "result");
    generated_tests::run_backward(results);
    generated_tests::run_backward(expected);
    expect_same(generated_tests::gradients_of(leaves), generated_tests::gradients_of(expected_leaves), "gradient");
  }
  EXPECT_EQ(fast.stats().captures, 3U) << fast.stats();
  expect_replays(fast);
}

TEST(GeneratedOptions, OneSlotGoesBackTwice) {
  graphed::callable<&flags::retained> fast;
  const auto run = [](auto&& callee, const Tensor& x) {
    const Tensor sum = callee(x).sum();
    sum.backward({}, /*retain_graph=*/true);
    sum.backward();
    return tensor_list{sum, x.grad()};
  };
  for (int call = 0; call < kCalls; ++call) {
    const tensor_list given{at::randn({3}).requires_grad_()};
    expect_same(run(fast, generated_tests::fresh(given)[0]), run(flags::retained, generated_tests::fresh(given)[0]), "sum, gradient");
  }
  expect_replays(fast);
}

TEST(GeneratedOptions, GradsAddUpInTheGraph) {
  graphed::callable<&flags::accumulated> fast;
  const Tensor x = at::randn({3}).requires_grad_();
  const Tensor expected = x.detach().clone().requires_grad_();
  const void* home = nullptr;
  for (int call = 0; call < kCalls; ++call) {
    x.mutable_grad().reset();
    expected.mutable_grad().reset();
    for (int micro_batch = 0; micro_batch < 3; ++micro_batch) {
      fast(x).sum().backward();
      flags::accumulated(expected).sum().backward();
      expect_same({x.grad()}, {expected.grad()}, "gradient");
    }
    if (call > 0 && fast.stats().backward_captures >= 2) {
      EXPECT_TRUE(home == nullptr || home == x.grad().const_data_ptr());
      home = x.grad().const_data_ptr();
    }
  }
  EXPECT_NE(home, nullptr) << fast.stats();
  expect_replays(fast);
}

// A replay copies an argument of which the original function reads three elements.
TEST(GeneratedOptions, SlowReplaysStay) {
  const Tensor x = at::randn({flags::kLarge});
  const auto counts_of_a_run = [&] {
    graphed::callable<&flags::first_of_many> fast;
    for (int call = 0; call < 80; ++call) {
      expect_same({fast(x, 2)}, {flags::first_of_many(x, 2)}, "result");
    }
    graphed::Statistics counts = fast.stats();
    EXPECT_EQ(counts.replays, 77U) << counts;
    counts.capture_microseconds = 0;
    return counts.to_json();
  };
  EXPECT_EQ(counts_of_a_run(), counts_of_a_run());
}

TEST(GeneratedOptions, ExplainTellsEachKey) {
  graphed::callable<&flags::first_of_many> fast;
  const Tensor x = at::randn({flags::kLarge});
  for (int call = 0; call < 5; ++call) {
    fast(x, 0.5);
  }
  fast(x, 2);
  fast(at::randn({3}), 2);
  const std::string text = fast.explain();
  const auto holds = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(holds("flags::first_of_many (")) << text;
  EXPECT_TRUE(holds("key 1: x: f32[4194304]; factor = 0.5; cpu\n  captured; 1 slot, 2 replays\n")) << text;
  EXPECT_TRUE(holds("key 2: x: f32[4194304]; factor = 2; cpu\n  warming up, 1 of 3\n")) << text;
  EXPECT_TRUE(holds("  x: shape: expected [4194304], got [3]\n")) << text;
}

TEST(GeneratedOptions, CallablesOfOnePool) {
  graphed::callable<&flags::first_of_pool> first;
  graphed::callable<&flags::second_of_pool> second;
  expect_equal_calls(
      {at::randn({3}).requires_grad_()}, [&](tensor_list& in) { return second(first(in[0])); },
      [](tensor_list& in) { return flags::second_of_pool(flags::first_of_pool(in[0])); });
  expect_replays(first);
  expect_replays(second);
  const auto pools = graphed::named_pools();
  ASSERT_EQ(pools.size(), 1U);
  EXPECT_EQ(pools[0].name, "shared");
  EXPECT_EQ(pools[0].device, c10::Device(c10::kCPU));
  EXPECT_GT(pools[0].bytes_held, 0U);
  EXPECT_LT(pools[0].bytes_held, first.stats().bytes_held + second.stats().bytes_held);  // those have static inputs as well
}

}  // namespace
