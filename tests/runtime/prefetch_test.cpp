// SPDX-License-Identifier: Apache-2.0
//
// graphed::prefetch: the batches of a loader, on the device ahead of their use.
#include "support/host_to_host.h"

#include <graphed/prefetch.h>

#include <torch/data/dataloader.h>
#include <torch/data/datasets/base.h>
#include <torch/data/datasets/map.h>
#include <torch/data/samplers/sequential.h>
#include <torch/data/transforms/stack.h>

#include <array>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

namespace prefetch_test {

using namespace graphed;
using namespace graphed::testing;
using at::Tensor;

GRAPHED_DEVICE_TEST_SUITE(Prefetch);

/// Row i is i, and its target 2 i.
struct rows : torch::data::datasets::Dataset<rows> {
  explicit rows(int64_t count, int64_t fails_at = -1) : count(count), fails_at(fails_at) {}
  torch::data::Example<> get(std::size_t index) override {
    const auto number = static_cast<int64_t>(index);
    if (number == fails_at) {
      throw std::runtime_error("row " + std::to_string(number) + " is broken");
    }
    return {at::full({256}, number, at::kFloat), at::full({}, 2 * number, at::kLong)};
  }
  std::optional<std::size_t> size() const override { return static_cast<std::size_t>(count); }

  int64_t count, fails_at;
};

auto loader_of(rows data, std::size_t workers = 0) {
  return torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      std::move(data).map(torch::data::transforms::Stack<>()), torch::data::DataLoaderOptions().batch_size(8).workers(workers));
}

TEST_P(Prefetch, GivesEachBatchInOrder) {
  auto loader = loader_of(rows(50), /*workers=*/2);
  auto batches = prefetch(*loader, device());
  for (int epoch = 0; epoch < 3; ++epoch) {
    int64_t next = 0;
    for (auto& batch : batches) {
      const int64_t count = std::min<int64_t>(8, 50 - next);
      const Tensor numbers = at::arange(next, next + count);
      EXPECT_EQ(batch.data.device(), device());
      EXPECT_EQ(batch.target.device(), device());
      EXPECT_TRUE(at::equal(batch.data.cpu(), numbers.to(at::kFloat).unsqueeze(1).expand({count, 256})));
      EXPECT_TRUE(at::equal(batch.target.cpu(), 2 * numbers));
      next += count;
    }
    EXPECT_EQ(next, 50) << epoch;
  }
}

// Without a wait between them: a batch's memory must not be another one's while the device still reads it.
TEST_P(Prefetch, FeedsAStep) {
  const auto body = [](tensor_list& in) { return tensor_list{in[0].matmul(in[0].t()).sum(1) + in[1]}; };
  test_callable fast({{"x", {8, 256}}, {"y", {8}, at::kLong}}, body);
  auto loader = loader_of(rows(800));
  tensor_list got;
  for (auto& batch : prefetch(*loader, device())) {
    got.push_back(fast({batch.data, batch.target})[0]);
  }
  ASSERT_EQ(got.size(), 100U);
  std::size_t call = 0;
  for (auto& batch : *loader) {
    tensor_list in{batch.data.to(device()), batch.target.to(device())};
    EXPECT_TRUE(at::equal(got[call], body(in)[0])) << call;
    ++call;
  }
  EXPECT_EQ(fast.stats().miss_count(), 0U) << fast.stats();
}

TEST_P(Prefetch, BatchesOfEveryForm) {
  using form = std::tuple<Tensor, std::pair<Tensor, int>, std::vector<torch::data::Example<Tensor, torch::data::example::NoTarget>>>;
  std::vector<form> source;
  for (int i = 0; i < 4; ++i) {
    source.push_back({at::full({2}, i), {Tensor(), i}, {{at::full({3}, i)}, {at::full({1}, i, at::TensorOptions(device()))}}});
  }
  int next = 0;
  for (auto& [one, pair, list] : prefetch(source, device())) {
    EXPECT_TRUE(at::equal(one.cpu(), at::full({2}, next)));
    EXPECT_FALSE(pair.first.defined());
    EXPECT_EQ(pair.second, next);
    EXPECT_EQ(list[0].data.device(), device());
    EXPECT_TRUE(at::equal(list[0].data.cpu(), at::full({3}, next)));
    EXPECT_EQ(list[1].data.device(), device());
    ++next;
  }
  EXPECT_EQ(next, 4);
}

TEST_P(Prefetch, FormsOfTheProgramsOwn) {
  struct frame {
    Tensor image;
    int number;
  };
  std::vector<frame> source;
  for (int i = 0; i < 5; ++i) {
    source.push_back({at::full({2}, i), i});
  }
  int next = 0;
  for (frame& each : prefetch(source, device(), [](auto& copy, frame& of) { copy(of.image); })) {
    EXPECT_EQ(each.image.device(), device());
    EXPECT_EQ(each.image.sum().item<int>(), 2 * each.number);
    EXPECT_EQ(each.number, next++);
  }
  std::vector<frame> none;
  for (frame& each : prefetch(none, device(), [](auto& copy, frame& of) { copy(of.image); })) {
    FAIL() << each.number;
  }
}

TEST_P(Prefetch, WhatTheLoaderThrowsPassesThrough) {
  auto loader = loader_of(rows(50, /*fails_at=*/20));
  int seen = 0;
  EXPECT_THROW(
      {
        for (auto& batch : prefetch(*loader, device())) {
          seen += batch.data.defined() ? 1 : 0;
        }
      },
      std::runtime_error);
  EXPECT_EQ(seen, 1);  // the third one is taken as the second is asked for
}

}  // namespace prefetch_test
