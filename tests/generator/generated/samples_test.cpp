// SPDX-License-Identifier: Apache-2.0
//
// Every callable of samples.h through the code that is generated for it, at each of its sizes, beside the original.
#include "compare.h"
#include "samples.graphed.h"

#include <graphed/error.h>

#include <algorithm>

namespace {

using at::Tensor;
using generated_tests::expect_equal_calls;
using generated_tests::expect_replays;
using generated_tests::wanting_grad;
using graphed::tensor_list;

TEST(GeneratedSamples, OneGraphForEachValue) {
  graphed::callable<&samples::product> fast;
  for (int round = 0; round < 2; ++round) {
    for (const int64_t batch : {1, 4, 8}) {
      expect_equal_calls(
          {wanting_grad({batch, 3}), wanting_grad({3, 2})}, [&](tensor_list& in) { return fast(in[0], in[1]); },
          [](tensor_list& in) { return samples::product(in[0], in[1]); });
    }
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 3U) << fast.stats();
  fast(wanting_grad({2, 3}), wanting_grad({3, 2}));
  EXPECT_EQ(fast.stats().misses[static_cast<std::size_t>(graphed::Miss::Shape)], 1U) << fast.stats();
}

TEST(GeneratedSamples, PreparedAtEverySize) {
  graphed::callable<&samples::product> fast;
  fast.prepare(wanting_grad({4, 3}), wanting_grad({3, 2}));
  EXPECT_EQ(fast.stats().captures, 3U) << fast.stats();
  for (const int64_t batch : {1, 4, 8}) {
    const Tensor x = wanting_grad({batch, 3}), w = wanting_grad({3, 2});
    EXPECT_TRUE(at::equal(fast(x, w), samples::product(x, w)));
  }
  EXPECT_EQ(fast.stats().replays, 3U) << fast.stats();
  EXPECT_EQ(fast.stats().warmups, 0U) << fast.stats();
}

TEST(GeneratedSamples, EstimatedAtEverySize) {
  graphed::callable<&samples::product> fast;
  const Tensor x = wanting_grad({4, 3}), w = wanting_grad({3, 2});
  const graphed::Estimate estimate = fast.estimate(x, w);
  EXPECT_EQ(estimate.captures.size(), 3U) << estimate;
  EXPECT_EQ(fast.stats().captures, 0U) << fast.stats();
  fast.prepare(x, w);
  EXPECT_EQ(fast.stats().bytes_held, estimate.bytes_held()) << estimate;
}

TEST(GeneratedSamples, EveryCombinationOfTwoVariables) {
  graphed::callable<&samples::arithmetic> fast;
  for (const int64_t b : {1, 2}) {
    for (const int64_t t : {2, 3}) {
      const int64_t width = (b + t) / 2 * samples::kColumns;
      expect_equal_calls(
          {at::randn({2 * b - 1, t, 3}), at::randn({width}), at::randn({width})},
          [&](tensor_list& in) { return fast(in[0], {in[1], in[2]}); },
          [](tensor_list& in) { return samples::arithmetic(in[0], {in[1], in[2]}); });
    }
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 4U) << fast.stats();
}

tensor_list of_sizes(int64_t b, int64_t t) { return {wanting_grad({b, 3}), at::randn({2 * b - 1, t})}; }

TEST(GeneratedSamples, OfValuesThatCallsBring) {
  graphed::callable<&samples::brought> fast;
  for (int round = 0; round < 2; ++round) {
    for (const auto& [b, t] : {std::pair<int64_t, int64_t>{5, 2}, {2, 3}, {9, 2}, {5, 3}}) {
      expect_equal_calls(
          of_sizes(b, t), [&](tensor_list& in) { return fast(in[0], in[1]); },
          [](tensor_list& in) { return samples::brought(in[0], in[1]); });
    }
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 4U) << fast.stats();
  EXPECT_EQ(fast.stats().backward_captures, 4U) << fast.stats();
  EXPECT_EQ(fast.stats().sizes.at("B"), (std::vector<int64_t>{5, 2, 9})) << fast.stats();
  EXPECT_NE(fast.explain().find("sizes B: 5, 2, 9\n"), std::string::npos) << fast.explain();
  EXPECT_NE(fast.explain().find("x: f32[9, 3] grad, y: f32[17, 2]; B = 9; "), std::string::npos) << fast.explain();
}

TEST(GeneratedSamples, OneValueTooManyIsAMissThatNamesTheLimit) {
  graphed::callable<&samples::brought> fast;
  for (const int64_t b : {5, 2, 9, 4, 6, 4}) {  // warm-ups alone
    const tensor_list in = of_sizes(b, 2);
    EXPECT_TRUE(at::equal(fast(in[0], in[1]), samples::brought(in[0], in[1])));
  }
  EXPECT_EQ(fast.stats().misses[static_cast<std::size_t>(graphed::Miss::Sizes)], 3U) << fast.stats();
  EXPECT_EQ(fast.stats().warmups, 3U) << fast.stats();
  EXPECT_EQ(fast.stats().misses_by_parameter.at("x: sizes"), 3U) << fast.stats();
  const std::string why =
      "x: sizes: expected a value of B among 5, 2, 9, the first of 'in any 3', got B = 4: write a larger number than 3, or the values, "
      "'B in {5, 2, 9, 4}'";
  EXPECT_NE(fast.explain().find(why), std::string::npos) << fast.explain();
  fast.reset();
  EXPECT_TRUE(fast.stats().sizes.empty()) << fast.stats();
  const tensor_list in = of_sizes(4, 2);
  fast(in[0], in[1]);
  EXPECT_EQ(fast.stats().warmups, 1U) << fast.stats();
}

TEST(GeneratedSamples, PlacesOfOneVariableAgree) {
  graphed::callable<&samples::brought> fast;
  fast(wanting_grad({4, 3}), at::randn({8, 2}));
  EXPECT_EQ(fast.stats().misses_by_parameter.at("y: shape"), 1U) << fast.stats();
  const std::string why = "y: shape: expected [2 * B - 1, 2] or [2 * B - 1, 3] where B = 4, got [8, 2]";
  EXPECT_NE(fast.explain().find(why), std::string::npos) << fast.explain();
  EXPECT_TRUE(fast.stats().sizes.empty()) << fast.stats();
}

TEST(GeneratedSamples, PreparedAtTheValuesThatAreGiven) {
  graphed::callable<&samples::brought> fast;
  const tensor_list in = of_sizes(4, 2);
  fast.prepare(in[0], in[1]);
  EXPECT_EQ(fast.stats().captures, 2U) << fast.stats();  // T is 2 and 3
  for (const int64_t t : {2, 3}) {
    const tensor_list of_both = of_sizes(4, t);
    EXPECT_TRUE(at::equal(fast(of_both[0], of_both[1]), samples::brought(of_both[0], of_both[1])));
  }
  EXPECT_EQ(fast.stats().replays, 2U) << fast.stats();
  fast.prepare(wanting_grad({5, 3}), at::randn({9, 2}));
  fast.prepare(wanting_grad({6, 3}), at::randn({11, 2}));
  EXPECT_THROW(fast.prepare(wanting_grad({7, 3}), at::randn({13, 2})), graphed::GuardError);
  EXPECT_EQ(fast.stats().captures, 6U) << fast.stats();
}

TEST(GeneratedSamples, OneValueTooManyIsServedByTheNextAnnotation) {
  graphed::callable<&samples::divided> fast;
  const auto call = [](auto&& function, const tensor_list& in, bool has_z) {
    return function(in[0], {in[1], in[2]}, has_z ? in[3] : Tensor(), in[4]);
  };
  const auto of_sizes = [](int64_t b, int64_t all) -> tensor_list {
    const int64_t quotient = b == 0 ? 1 : all / b;
    return {at::randn({b}), at::randn({quotient}), at::randn({quotient}), at::randn({all}), at::randn({all})};
  };
  for (const auto& [b, all] : {std::pair<int64_t, int64_t>{3, 20}, {4, 8}, {3, 8}, {7, 20}}) {
    for (const bool has_z : {true, false}) {
      expect_equal_calls(
          of_sizes(b, all), [&, with_z = has_z](tensor_list& in) { return call(fast, in, with_z); },
          [&, with_z = has_z](tensor_list& in) { return call(samples::divided, in, with_z); });
    }
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 8U) << fast.stats();
  EXPECT_THROW(call(fast, of_sizes(7, 8), true), graphed::GuardError);   // strict; one value of B too many
  EXPECT_THROW(call(fast, of_sizes(0, 8), false), graphed::GuardError);  // no extent is 8 / 0
  EXPECT_EQ(fast.stats().sizes.at("B"), (std::vector<int64_t>{3, 4})) << fast.stats();
  EXPECT_EQ(fast.stats().sizes.at("b"), (std::vector<int64_t>{20, 8})) << fast.stats();
}

TEST(GeneratedSamples, PaddedWithZeros) {
  graphed::callable<&samples::padded> fast;
  for (const int64_t batch : {3, 4, 1, 7, 8}) {
    expect_equal_calls(
        {wanting_grad({batch, 3}), at::randn({3, 2})}, [&](tensor_list& in) { return fast(in[0], in[1]); },
        [](tensor_list& in) { return samples::padded(in[0], in[1]); });
  }
  expect_replays(fast);
}

TEST(GeneratedSamples, PaddedWithTheLastRow) {
  graphed::callable<&samples::repeated> fast;
  for (const int64_t t : {1, 2, 4}) {
    for (const int64_t b : {3, 8}) {
      expect_equal_calls(
          {wanting_grad({t, b})}, [&](tensor_list& in) { return fast(in[0], 2); },
          [](tensor_list& in) { return samples::repeated(in[0], 2); });
    }
  }
  expect_replays(fast);
}

TEST(GeneratedSamples, PaddedArgumentsAreWritten) {
  graphed::callable<&samples::added> fast;
  for (const int64_t batch : {6, 2}) {
    expect_equal_calls(
        {at::randn({batch}), at::randn({batch})}, [&](tensor_list& in) { fast(in[0], in[1]); },
        [](tensor_list& in) { samples::added(in[0], in[1]); });
  }
  expect_replays(fast);
}

TEST(GeneratedSamples, OfSeveralAnnotations) {
  graphed::callable<&samples::of_three_kinds> fast;
  const Tensor scalar = at::randn({}, at::kDouble);
  for (const bool negate : {true, false}) {
    for (const Tensor& sample : {wanting_grad({2, 3}), at::randn({1, 4}), at::randn({5, 4}), scalar}) {
      expect_equal_calls(
          {sample}, [&](tensor_list& in) { return fast(in[0], negate); },
          [&](tensor_list& in) { return samples::of_three_kinds(in[0], negate); });
    }
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 8U) << fast.stats();
  EXPECT_EQ(fast.stats().warmups, 8U) << fast.stats();
}

Tensor call_of_lengths(graphed::callable<&samples::of_lengths>& fast, const tensor_list& in, std::size_t count) {
  const tensor_list hs(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(count));
  return fast(hs, in[count], at::TensorList(in).slice(count + 1), 0.5);
}

Tensor plain_of_lengths(const tensor_list& in, std::size_t count) {
  const tensor_list hs(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(count));
  return samples::of_lengths(hs, in[count], at::TensorList(in).slice(count + 1), 0.5);
}

/// `count` elements of the first list, a tensor, and `rest` elements of the second list.
tensor_list lists_of(std::size_t count, std::size_t rest) {
  tensor_list tensors;
  for (std::size_t i = 0; i <= count; ++i) {
    tensors.push_back(wanting_grad({2}));
  }
  for (std::size_t i = 0; i < rest; ++i) {
    tensors.push_back(at::randn({2}));
  }
  return tensors;
}

TEST(GeneratedSamples, OfListsOfOtherLengths) {
  graphed::callable<&samples::of_lengths> fast;
  for (int round = 0; round < 2; ++round) {
    for (const std::size_t count : {2, 3}) {
      expect_equal_calls(
          lists_of(count, 4 - count), [&](tensor_list& in) { return call_of_lengths(fast, in, count); },
          [&](tensor_list& in) { return plain_of_lengths(in, count); });
    }
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 2U) << fast.stats();
  EXPECT_GT(fast.stats().backward_replays, 0U) << fast.stats();
}

TEST(GeneratedSamples, OneGraphForEachLength) {
  graphed::callable<&samples::counted> fast;
  const auto call = [](auto& callee, const tensor_list& in) { return callee({in.begin(), in.end() - 1}, in.back()); };
  for (int round = 0; round < 2; ++round) {
    for (const std::size_t count : {0, 1, 3}) {
      for (const int64_t batch : {2, 4}) {
        tensor_list sample(count);
        std::generate(sample.begin(), sample.end(), [&] { return wanting_grad({batch, 2}); });
        sample.push_back(at::randn({2}));
        expect_equal_calls(
            sample, [&](tensor_list& in) { return call(fast, in); }, [&](tensor_list& in) { return call(samples::counted, in); });
      }
    }
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 5U) << fast.stats();
  EXPECT_GT(fast.stats().backward_replays, 0U);
  fast({wanting_grad({2, 2}), wanting_grad({2, 2})}, at::randn({2}));
  EXPECT_EQ(fast.stats().misses[static_cast<std::size_t>(graphed::Miss::ListLength)], 1U) << fast.stats();
}

TEST(GeneratedSamples, ListsThatAreEmptyInSomeCalls) {
  graphed::callable<&samples::maybe_empty> fast;
  for (int round = 0; round < 2; ++round) {
    expect_equal_calls(
        {at::randn({2})}, [&](tensor_list& in) { return fast({}, in[0]); },
        [](tensor_list& in) { return samples::maybe_empty({}, in[0]); });
    expect_equal_calls(
        {at::randn({2}), at::randn({3}), at::randn({2}), at::randn({3}), at::randn({2})},
        [&](tensor_list& in) { return fast({{in[0], in[1]}, {in[2], in[3]}}, in[4]); },
        [](tensor_list& in) { return samples::maybe_empty({{in[0], in[1]}, {in[2], in[3]}}, in[4]); });
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 2U) << fast.stats();

  graphed::callable<&samples::always_empty> empty;
  expect_equal_calls(
      {at::randn({2})}, [&](tensor_list& in) { return empty(in[0], {}); },
      [](tensor_list& in) { return samples::always_empty(in[0], {}); });
  expect_replays(empty);
  const Tensor x = at::randn({2});
  EXPECT_TRUE(at::equal(empty(x, {x}), samples::always_empty(x, {x})));
  EXPECT_EQ(empty.stats().misses[static_cast<std::size_t>(graphed::Miss::ListLength)], 1U) << empty.stats();
}

TEST(GeneratedSamples, OfListsOfNoDeclaredLengthMiss) {
  graphed::callable<&samples::of_lengths> fast;
  for (const auto& [count, rest] : {std::pair<std::size_t, std::size_t>{2, 1}, {3, 2}, {4, 0}, {1, 3}}) {
    if (rest != 0) {
      const tensor_list in = lists_of(count, rest);
      EXPECT_TRUE(at::equal(call_of_lengths(fast, in, count), plain_of_lengths(in, count)));
    }
  }
  EXPECT_EQ(fast.stats().misses[static_cast<std::size_t>(graphed::Miss::ListLength)], 3U) << fast.stats();
  try {
    const tensor_list in = lists_of(1, 2);
    fast.prepare({in[0]}, in[1], {in[2], in[3]}, 0.5);
    FAIL() << "no exception";
  } catch (const graphed::GuardError& error) {
    EXPECT_NE(std::string(error.what()).find("parameter 'hs': expected 2 or 3 elements, got 1"), std::string::npos) << error.what();
  }
}

TEST(GeneratedSamples, OfOtherLengthsTellWhatDoesNotFitTheirs) {
  graphed::callable<&samples::of_lengths> fast;
  const tensor_list in = {at::randn({5}), at::randn({5}), at::randn({5}), at::randn({5}), at::randn({5})};
  try {
    fast.prepare({in[0], in[1], in[2]}, in[3], {in[4]}, 0.5);
    FAIL() << "no exception";
  } catch (const graphed::GuardError& error) {
    EXPECT_NE(std::string(error.what()).find("parameter 'hs[2]': expected [2], got [5]"), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find("elements"), std::string::npos) << error.what();
  }
}

TEST(GeneratedSamples, PreparedForTheLengthsThatAreGiven) {
  graphed::callable<&samples::of_lengths> fast;
  const tensor_list in = lists_of(3, 1);
  fast.prepare({in[0], in[1], in[2]}, in[3], {in[4]}, 0.5);
  EXPECT_EQ(fast.stats().captures, 1U) << fast.stats();
  EXPECT_TRUE(at::equal(call_of_lengths(fast, in, 3), plain_of_lengths(in, 3)));
  EXPECT_EQ(fast.stats().replays, 1U) << fast.stats();
  const tensor_list other = lists_of(2, 2);
  EXPECT_TRUE(at::equal(call_of_lengths(fast, other, 2), plain_of_lengths(other, 2)));
  EXPECT_EQ(fast.stats().warmups, 1U) << fast.stats();
}

TEST(GeneratedSamples, OfGradientsAndWithout) {
  graphed::callable<&samples::of_gradients> fast;
  for (const bool grad : {true, false}) {
    expect_equal_calls(
        {at::randn({3}).set_requires_grad(grad), at::randn({3})},
        [&](tensor_list& in) {
          Tensor x = in[0] * 2;
          fast(x, in[1]);
          return x;
        },
        [&](tensor_list& in) {
          Tensor x = in[0] * 2;
          samples::of_gradients(x, in[1]);
          return x;
        });
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 2U) << fast.stats();
  Tensor wrong = at::randn({4});
  EXPECT_THROW(fast(wrong, at::randn({4})), graphed::GuardError);  // strict
}

TEST(GeneratedSamples, OfAMethod) {
  const samples::Layer layer;
  graphed::callable<&samples::Layer::forward> fast(layer);
  for (const int64_t size : {1, 2, 3}) {
    expect_equal_calls(
        {at::randn({size})}, [&](tensor_list& in) { return fast(in[0]); }, [&](tensor_list& in) { return layer.forward(in[0]); });
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 3U) << fast.stats();
}

TEST(GeneratedSamples, VariablesNamedLikeTheTablesOwnNames) {
  graphed::callable<&samples::clashing> fast;
  for (const int64_t size : {1, 2}) {
    expect_equal_calls(
        {at::randn({size, 2, 3})}, [&](tensor_list& in) { return fast(in[0]); }, [](tensor_list& in) { return samples::clashing(in[0]); });
  }
  expect_replays(fast);
}

}  // namespace
