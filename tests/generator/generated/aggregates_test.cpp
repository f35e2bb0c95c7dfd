// SPDX-License-Identifier: Apache-2.0
//
// Every callable of aggregates.h through the code that is generated for it, beside the original.
#include "aggregates.graphed.h"
#include "compare.h"

#include <graphed/error.h>

namespace {

using aggregates::Layer;
using at::Tensor;
using generated_tests::expect_equal_calls;
using generated_tests::expect_replays;
using generated_tests::expect_same_calls;
using generated_tests::normal;
using generated_tests::wanting_grad;
using graphed::tensor_list;

tensor_list pairs(std::size_t count) {
  tensor_list list;
  for (std::size_t i = 0; i < count; ++i) {
    list.push_back(normal({2}));
  }
  return list;
}

aggregates::Batch batch_of(const tensor_list& in, bool twice, double eps) {
  return {{in[0]}, {twice, eps}, in[1], {{in[2], in[3]}, {in[4], in[5]}}};
}

tensor_list batch_sample() {
  return {at::arange(3), wanting_grad({3, 4}), wanting_grad({4, 4}), normal({4}), wanting_grad({4, 4}), normal({4})};
}

TEST(AggregateArguments, StructsNestedWithBasesAndScalars) {
  graphed::callable<&aggregates::nested> fast;
  for (const bool twice : {false, true}) {
    expect_same_calls(batch_sample(), fast, aggregates::nested,
                      [&](auto& callee, tensor_list& in) { return callee(batch_of(in, twice, 0.5)); });
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 2U);
  EXPECT_GT(fast.stats().backward_replays, 0U);
  EXPECT_THROW(fast(batch_of(batch_sample(), true, 0.25)), graphed::GuardError);
}

TEST(AggregateArguments, KeepTheCallersOwn) {
  graphed::callable<&aggregates::nested> fast;
  const tensor_list in = batch_sample();
  const aggregates::Batch batch = batch_of(in, true, 0.5);
  for (int call = 0; call < generated_tests::kCalls; ++call) {
    fast(batch);
    EXPECT_TRUE(batch.obs.is_same(in[1]));
    EXPECT_TRUE(batch.layers.at(1).bias.is_same(in[5]));
  }
  expect_replays(fast);
}

TEST(AggregateArguments, BesideTensorsListsAndScalars) {
  graphed::callable<&aggregates::mixed> fast;
  expect_same_calls({normal({2}), normal({2}), wanting_grad({2}), normal({2}), normal({2})}, fast, aggregates::mixed,
                    [](auto& callee, tensor_list& in) { return callee(in[0], {in[1], in[2]}, 3, {in[3], in[4]}); });
  expect_replays(fast);
}

TEST(AggregateArguments, TuplesAndPairs) {
  graphed::callable<&aggregates::by_position> fast;
  for (const int factor : {2, 3}) {
    expect_same_calls(pairs(6), fast, aggregates::by_position,
                      [&](auto& callee, tensor_list& in) { return callee({in[0], factor}, {in[1], {in[2], in[3]}, {in[4], in[5]}}); });
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 2U);
}

TEST(AggregateArguments, Arrays) {
  graphed::callable<&aggregates::of_arrays> fast;
  for (const bool subtract : {false, true}) {
    expect_same_calls({wanting_grad({2}), wanting_grad({2}), wanting_grad({2}), normal({2}), normal({2})}, fast, aggregates::of_arrays,
                      [&](auto& callee, tensor_list& in) { return callee({in[0], in[1], in[2]}, {{{in[3], subtract}, {in[4], true}}}); });
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 2U);
}

const tensor_list vectors_sample() {
  tensor_list sample = {normal({2, 2}), normal({2}), normal({2, 2}), normal({2})};
  const tensor_list grid = pairs(6);
  sample.insert(sample.end(), grid.begin(), grid.end());
  return sample;
}

TEST(AggregateArguments, Vectors) {
  graphed::callable<&aggregates::of_vectors> fast;
  expect_same_calls(vectors_sample(), fast, aggregates::of_vectors, [](auto& callee, tensor_list& in) {
    return callee({{in[0], in[1]}, {in[2], in[3]}}, {{in[4], in[5], in[6]}, {in[7], in[8], in[9]}});
  });
  expect_replays(fast);
}

tensor_list shapes_sample() {
  return {wanting_grad({2, 3}),     normal({5}),       at::arange(2), normal({3}), wanting_grad({}),
          normal({2, 3}),           wanting_grad({2}), normal({4}),   normal({}),  normal({3}),
          at::ones(2, at::kDouble), normal({2}),       normal({3}),   normal({3})};
}

template <class Callee>
Tensor call_of_shapes(Callee& callee, const tensor_list& in, int size) {
  return callee({in[0], in[1], in[2]}, c10::List<Tensor>({in[3], in[4]}), {{in[5], in[6]}, {in[7], in[8]}}, {in[9], in[10]},
                {{in[11]}, {in[12], in[13]}}, {size, 4});
}

TEST(AggregateArguments, ListsOfShapesOfTheirOwn) {
  graphed::callable<&aggregates::of_shapes> fast;
  for (const int size : {2, 3}) {
    expect_same_calls(shapes_sample(), fast, aggregates::of_shapes,
                      [&](auto& callee, tensor_list& in) { return call_of_shapes(callee, in, size); });
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 2U);
  EXPECT_GT(fast.stats().backward_replays, 0U);
  tensor_list exchanged = shapes_sample();
  std::swap(exchanged[12], exchanged[11]);
  const Tensor missed = normal({2});
  exchanged[13] = missed;
  const uint64_t replays = fast.stats().replays;
  EXPECT_TRUE(at::equal(call_of_shapes(fast, exchanged, 2), call_of_shapes(aggregates::of_shapes, exchanged, 2)));
  EXPECT_EQ(fast.stats().replays, replays);
  EXPECT_EQ(fast.stats().misses_by_parameter.at("ragged[0][0]: shape"), 1U) << fast.stats();
}

TEST(AggregateArguments, FlatListsOfShapesOfTheirOwnAndOfOneShape) {
  graphed::callable<&aggregates::of_flat_shapes> fast;
  for (const int64_t size : {2, 3}) {
    expect_same_calls({wanting_grad({size, 2}), normal({size})}, fast, aggregates::of_flat_shapes,
                      [](auto& callee, tensor_list& in) { return callee({in[0], in[1]}); });
    expect_same_calls({wanting_grad({size, 2}), wanting_grad({size, 2}), wanting_grad({size, 2})}, fast, aggregates::of_flat_shapes,
                      [](auto& callee, tensor_list& in) { return callee({in[0], in[1], in[2]}); });
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 4U) << fast.stats();
}

TEST(AggregateArguments, VectorsOfAnotherLengthMiss) {
  graphed::callable<&aggregates::of_vectors> fast;
  const auto expect_miss = [&](const std::vector<Layer>& layers, const std::vector<tensor_list>& grid) {
    for (int call = 0; call < generated_tests::kCalls; ++call) {
      EXPECT_TRUE(at::equal(fast(layers, grid), aggregates::of_vectors(layers, grid)));
    }
  };
  const Layer layer{normal({2, 2}), normal({2})};
  expect_miss({}, {pairs(3), pairs(3)});
  expect_miss({layer, layer, layer}, {pairs(3), pairs(3)});
  expect_miss({layer, layer}, {pairs(2), pairs(4)});
  expect_miss({layer, layer}, {pairs(3), pairs(3), pairs(1)});
  EXPECT_EQ(fast.stats().replays, 0U);
  EXPECT_EQ(fast.stats().misses_by_parameter.at("layers: list_length"), 16U) << fast.stats();
  EXPECT_EQ(fast.stats().misses_by_parameter.at("grid[0]: list_length"), 8U) << fast.stats();
  EXPECT_EQ(fast.stats().misses_by_parameter.at("grid: list_length"), 8U) << fast.stats();
}

TEST(AggregateArguments, ListsThatShareWithTheirCopies) {
  graphed::callable<&aggregates::of_lists> fast;
  c10::List<Tensor> xs;
  c10::List<Tensor> hs;
  c10::Dict<std::string, c10::List<Tensor>> inner;
  expect_same_calls(pairs(5), fast, aggregates::of_lists, [&](auto& callee, tensor_list& in) {
    xs = c10::List<Tensor>({in[0], in[1]});
    hs = c10::List<Tensor>({in[2], in[3], in[4]});
    inner.insert_or_assign("hs", hs);
    Tensor result = callee(xs, inner);
    EXPECT_TRUE(xs.get(1).is_same(in[1]));
    EXPECT_TRUE(hs.get(2).is_same(in[4]));
    return result;
  });
  expect_replays(fast);
}

TEST(AggregateArguments, Optionals) {
  graphed::callable<&aggregates::of_optionals> fast;
  expect_same_calls(pairs(4), fast, aggregates::of_optionals,
                    [](auto& callee, tensor_list& in) { return callee(Layer{in[0], in[1]}, in[2], in[3]); });
  expect_replays(fast);
  const uint64_t replays = fast.stats().replays;
  expect_same_calls(pairs(2), fast, aggregates::of_optionals,
                    [](auto& callee, tensor_list& in) { return callee(std::nullopt, in[0], in[1]); });
  expect_same_calls(pairs(3), fast, aggregates::of_optionals,
                    [](auto& callee, tensor_list& in) { return callee(Layer{in[0], in[1]}, in[2], std::nullopt); });
  EXPECT_EQ(fast.stats().replays, replays);
  EXPECT_EQ(fast.stats().misses_by_parameter.at("layer: list_length"), 8U) << fast.stats();
  EXPECT_EQ(fast.stats().misses_by_parameter.at("y: undefined"), 8U) << fast.stats();
}

template <class Callee>
Tensor call_with_maps(Callee& callee, const tensor_list& in) {
  c10::Dict<std::string, Tensor> c;
  c.insert("y", in[5]);
  c.insert("x", in[4]);
  torch::OrderedDict<std::string, Tensor> d;
  d.insert("y", in[7]);
  d.insert("x", in[6]);
  Tensor result = callee({{"x", in[0]}, {"y", in[1]}}, {{"x", {in[2], in[3]}}}, c, d);
  EXPECT_TRUE(c.at("x").is_same(in[4]));
  EXPECT_TRUE(d["y"].is_same(in[7]));
  return result;
}

TEST(AggregateArguments, Maps) {
  graphed::callable<&aggregates::of_maps> fast;
  tensor_list sample = pairs(8);
  sample[0] = normal({3});
  expect_same_calls(sample, fast, aggregates::of_maps, [](auto& callee, tensor_list& in) { return call_with_maps(callee, in); });
  expect_replays(fast);
}

TEST(AggregateArguments, MapsWithoutAKeyOrWithAnotherMiss) {
  graphed::callable<&aggregates::of_maps> fast;
  const tensor_list in = pairs(8);
  c10::Dict<std::string, Tensor> c;
  c.insert("x", in[0]);
  c.insert("z", in[1]);
  torch::OrderedDict<std::string, Tensor> d;
  d.insert("x", in[2]);
  d.insert("y", in[2]);
  d.insert("z", in[3]);
  EXPECT_THROW(fast({{"x", normal({3})}, {"y", in[1]}}, {{"y", {in[2], in[3]}}}, c, d), std::out_of_range);  // the original function's
  EXPECT_THROW(fast({}, {}, c, d), std::out_of_range);
  EXPECT_EQ(fast.stats().miss_count(), 2U) << fast.stats();
}

TEST(AggregateArguments, WrittenInPlace) {
  graphed::callable<&aggregates::written> fast;
  expect_same_calls(pairs(4), fast, aggregates::written,
                    [](auto& callee, tensor_list& in) { callee(Layer{in[0], in[1]}, tensor_list{in[2], in[3]}); });
  expect_replays(fast);
}

TEST(AggregateArguments, LiveScalarsAmongOthers) {
  graphed::callable<&aggregates::descend> fast;
  for (const bool twice : {false, true}) {
    double lr = 0.5;
    const auto call = [&](auto& callee, tensor_list& in) { callee(in[0], aggregates::Hyper{lr, {lr * 2, twice}}, lr + 1); };
    for (int step = 0; step < 3; ++step) {
      lr *= 3;
      expect_same_calls({normal({2})}, fast, aggregates::descend, call);
    }
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 2U);
}

TEST(AggregateArguments, ListsOfOtherLengths) {
  graphed::callable<&aggregates::of_lengths> fast;
  for (const bool decays : {false, true}) {
    for (const bool has_y : {false, true}) {
      for (const std::size_t count : {1, 3}) {
        tensor_list sample = pairs(2 * count + 3 + (has_y ? 1 : 0));
        for (std::size_t i = 0; i < count; ++i) {
          sample[2 * i].requires_grad_();
        }
        expect_same_calls(sample, fast, aggregates::of_lengths, [&](auto& callee, tensor_list& in) {
          std::vector<Layer> layers;
          for (std::size_t i = 0; i < count; ++i) {
            layers.push_back({in[2 * i], in[2 * i + 1]});
          }
          const Tensor& first = in[2 * count + 1];
          const Tensor& second = in[2 * count + 2];
          const std::vector<tensor_list> grid =
              count == 1 ? std::vector<tensor_list>{{first, second}} : std::vector<tensor_list>{{first}, {second}};
          const std::optional<Tensor> y = has_y ? std::optional(in.back()) : std::nullopt;
          return callee(layers, in[2 * count], grid, y, {0.5, {2.0, decays}});
        });
      }
    }
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 8U) << fast.stats();
  EXPECT_GT(fast.stats().backward_replays, 0U) << fast.stats();
}

using Modes = std::array<std::array<bool, 2>, 2>;

template <class Callee>
Tensor call_with_scalars(Callee& callee, const tensor_list& in, std::array<int64_t, 2> dims, const Modes& modes, double rate) {
  return callee(in[0], dims, {0.25, 4.0}, {rate, rate + 1, 3.0}, {modes, in[1]});
}

TEST(AggregateArguments, ArraysOfScalars) {
  graphed::callable<&aggregates::of_scalars> fast;
  for (const std::array<int64_t, 2> dims : {std::array<int64_t, 2>{2, 2}, {4, 1}}) {
    for (const int mode : {0, 1, 2}) {
      const Modes modes{{{true, mode == 1}, {mode == 2, false}}};
      double graphed_rate = 0.5;
      double plain_rate = 0.5;
      expect_equal_calls(
          {normal({4}), normal({4})}, [&](tensor_list& in) { return call_with_scalars(fast, in, dims, modes, graphed_rate *= -1.5); },
          [&](tensor_list& in) { return call_with_scalars(aggregates::of_scalars, in, dims, modes, plain_rate *= -1.5); });
    }
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 6U) << fast.stats();
  EXPECT_THROW(fast(normal({4}), {2, 2}, {0.25, 5.0}, {1.0, 2.0, 3.0}, {Modes(), normal({4})}), graphed::GuardError);
}

TEST(AggregateArguments, PaddedAndOptionalMembers) {
  graphed::callable<&aggregates::padded> fast;
  for (const int64_t size : {2, 3, 4}) {
    expect_same_calls({normal({size, 3}), normal({size, 3})}, fast, aggregates::padded,
                      [](auto& callee, tensor_list& in) { return callee({in[0], in[1]}); });
    expect_same_calls({normal({size, 3})}, fast, aggregates::padded,
                      [](auto& callee, tensor_list& in) { return callee({in[0], Tensor()}); });
  }
  expect_replays(fast);
  EXPECT_EQ(fast.stats().captures, 4U);
}

/// As pack() takes a result apart.
tensor_list flat(const std::vector<Layer>& layers) {
  tensor_list tensors;
  for (const Layer& layer : layers) {
    tensors.push_back(layer.weight);
    tensors.push_back(layer.bias);
  }
  return tensors;
}

TEST(AggregateNames, ThatTheCodeUsesItself) {
  graphed::callable<&aggregates::clashing> fast;
  expect_same_calls(pairs(6), fast, aggregates::clashing, [](auto& callee, tensor_list& in) {
    const std::vector<Layer> result = callee({in[0], in[1]}, {in[2], in[3]}, in[4], in[5], 3);
    EXPECT_TRUE(result.at(1).bias.is_same(in[5]));
    return flat(result);
  });
  expect_replays(fast);
}

TEST(AggregateResults, Structs) {
  graphed::callable<&aggregates::structured> fast;
  for (const int rows : {3, 0}) {
    expect_same_calls({wanting_grad({3, 2})}, fast, aggregates::structured, [&](auto& callee, tensor_list& in) {
      const aggregates::Output output = callee(in[0], rows);
      EXPECT_FALSE(output.absent);
      tensor_list tensors = output.rows;
      EXPECT_EQ(tensors.size(), static_cast<std::size_t>(rows));
      const auto& [first, second] = output.rest;
      tensors.insert(tensors.end(), {output.mean, output.present.value(), first, second[0], second[1]});
      return tensors;
    });
  }
  expect_replays(fast);
  EXPECT_GT(fast.stats().backward_replays, 0U);
}

TEST(AggregateResults, StayValidWhileTheyAreHeld) {
  graphed::callable<&aggregates::structured> fast;
  std::vector<aggregates::Output> held;
  std::vector<aggregates::Output> expected;
  for (int call = 0; call < generated_tests::kCalls; ++call) {
    const Tensor x = wanting_grad({3, 2});
    held.push_back(fast(x, 2));
    expected.push_back(aggregates::structured(x, 2));
    generated_tests::run_backward({held.back().mean});
  }
  for (std::size_t call = 0; call < held.size(); ++call) {
    EXPECT_TRUE(at::equal(held[call].rows.at(1), expected[call].rows.at(1)));
    EXPECT_TRUE(at::equal(held[call].rest.first, expected[call].rest.first));
  }
  expect_replays(fast);
}

TEST(AggregateResults, Maps) {
  graphed::callable<&aggregates::to_map> fast;
  expect_same_calls({wanting_grad({2})}, fast, aggregates::to_map, [](auto& callee, tensor_list& in) {
    const auto map = callee(in[0]);
    EXPECT_EQ(map.size(), 2U);
    return flat({map.at("a"), map.at("b")});
  });
  expect_replays(fast);
}

TEST(AggregateResults, UnorderedMaps) {
  graphed::callable<&aggregates::to_unordered_map> fast;
  expect_same_calls({wanting_grad({2})}, fast, aggregates::to_unordered_map, [](auto& callee, tensor_list& in) {
    const auto map = callee(in[0]);
    EXPECT_EQ(map.size(), 20U);
    tensor_list tensors;
    for (int i = 0; i < 20; ++i) {
      tensors.push_back(map.at("key" + std::to_string(i)));
    }
    return tensors;
  });
  expect_replays(fast);
}

TEST(AggregateResults, DictsAndListsOfTheirOwn) {
  graphed::callable<&aggregates::to_dict> fast;
  std::vector<c10::Dict<std::string, c10::List<Tensor>>> held;
  expect_same_calls({wanting_grad({2})}, fast, aggregates::to_dict, [&](auto& callee, tensor_list& in) {
    held.push_back(callee(in[0]));
    const auto& dict = held.back();
    EXPECT_EQ(dict.size(), 2U);
    return tensor_list{dict.at("one").get(0), dict.at("two").get(0), dict.at("two").get(1)};
  });
  expect_replays(fast);
  for (std::size_t i = 2; i < held.size(); ++i) {
    EXPECT_FALSE(held[i].is(held[i - 2]));
    EXPECT_FALSE(held[i].at("one").is(held[i - 2].at("one")));
  }
}

TEST(AggregateResults, OrderedDicts) {
  graphed::callable<&aggregates::to_ordered_dict> fast;
  expect_same_calls({wanting_grad({2})}, fast, aggregates::to_ordered_dict, [](auto& callee, tensor_list& in) {
    const auto dict = callee(in[0]);
    EXPECT_EQ(dict.keys(), (std::vector<std::string>{"b", "a"}));
    return dict.values();
  });
  expect_replays(fast);
}

TEST(AggregateResults, OptionalsAsTheCaptureLeftThem) {
  graphed::callable<&aggregates::to_optional> fast;
  for (const bool present : {true, false}) {
    expect_same_calls({wanting_grad({2})}, fast, aggregates::to_optional, [&](auto& callee, tensor_list& in) {
      const auto result = callee(in[0], present);
      EXPECT_EQ(result.has_value(), present);
      return result ? tensor_list{*result} : tensor_list{};
    });
  }
  expect_replays(fast);
}

TEST(AggregateArguments, MembersThatTheCallableAssigns) {
  graphed::callable<&aggregates::changed> fast;
  expect_same_calls({wanting_grad({2}), normal({2}), normal({2}), normal({2}), normal({2})}, fast, aggregates::changed,
                    [](auto& callee, tensor_list& in) {
                      aggregates::Changing state{in[1], {in[2], {in[3], in[4]}}, 2};
                      const Tensor sum = callee(in[0], state);
                      EXPECT_TRUE(state.rest.first.is_same(in[2]));
                      EXPECT_TRUE(state.rest.second[1].is_same(in[3]));
                      EXPECT_EQ(state.count, 2);
                      return tensor_list{sum, state.h, state.rest.first, state.rest.second[0]};
                    });
  expect_replays(fast);

  graphed::callable<&aggregates::clashing_changes> clashing;
  expect_same_calls({normal({2}), normal({2}), normal({2}), normal({2})}, clashing, aggregates::clashing_changes,
                    [](auto& callee, tensor_list& in) {
                      aggregates::Layer layer{in[0], in[1]};
                      std::array<Tensor, 2> both = {in[2], in[3]};
                      callee(layer, both);
                      EXPECT_TRUE(both[0].is_same(in[2]));
                      EXPECT_TRUE(both[1].is_same(in[1]));
                      return tensor_list{layer.weight, layer.bias, both[0], both[1]};
                    });
  expect_replays(clashing);
}

TEST(AggregateArguments, NamedAsHalvesOfKeywords) {
  const auto call = [](auto& callable, tensor_list& in) { return callable(aggregates::Layer{in[0], in[1]}, std::array<Tensor, 2>{in[2], in[3]}); };
  graphed::callable<&aggregates::of_halves_of_keywords> fast;
  expect_equal_calls(
      {normal({2}), normal({2}), normal({2}), normal({2})}, [&](tensor_list& in) { return call(fast, in); },
      [&](tensor_list& in) { return call(aggregates::of_halves_of_keywords, in); });
  expect_replays(fast);
}

TEST(AggregateResults, NumbersReadOfTensors) {
  const auto flat = [](const std::pair<float, aggregates::Measured>& result) {
    const aggregates::Measured& measured = result.second;
    tensor_list all = {measured.twice, at::scalar_tensor(result.first), at::scalar_tensor(measured.sum, at::kDouble),
                       at::scalar_tensor(measured.places[1].value(), at::kLong)};
    EXPECT_FALSE(measured.places[0].has_value());
    all.push_back(at::tensor(measured.each));
    return all;
  };
  graphed::callable<&aggregates::measured> fast;
  expect_equal_calls(
      {wanting_grad({2})}, [&](tensor_list& in) { return flat(fast(in[0])); },
      [&](tensor_list& in) { return flat(aggregates::measured(in[0])); });
  expect_replays(fast);

  graphed::callable<&aggregates::is_small> is_small;
  expect_equal_calls(
      {normal({2})}, [&](tensor_list& in) { return at::scalar_tensor(is_small(in[0]), at::kBool); },
      [](tensor_list& in) { return at::scalar_tensor(aggregates::is_small(in[0]), at::kBool); });
  expect_replays(is_small);
}

}  // namespace
