// SPDX-License-Identifier: Apache-2.0
//
// Which steps must keep their order, and whether anything may still use what a step has written.
#include "trace/memory_order.h"
#include "small_program.h"

#include <gtest/gtest.h>

namespace fusion_test {
namespace {

using numbers = std::vector<std::size_t>;

memory_order order_of(const small_program& made) {
  std::vector<bool> overwriting;
  for (const auto& each : made.formulas) {
    overwriting.push_back(each.has_value());
  }
  return order_by_memory(made.traced, overwriting);
}

// So many rows, from the first one on.
traced_tensor rows(traced_tensor of, int64_t first, int64_t count) {
  of.address += static_cast<uintptr_t>(first * of.strides[0]) * c10::elementSize(of.dtype);
  of.sizes[0] = count;
  return of;
}

traced_tensor column(traced_tensor of) {
  of.sizes[1] = 1;
  return of;
}

TEST(FusionMemoryOrder, ReadsAndWritesOfTheSameBytes) {
  small_program made;
  const auto a = made.tensor({4}), b = made.tensor({4}), c = made.tensor({4});
  made.other(a, {});   // 0
  made.other(b, {a});  // 1
  made.other(c, {a});  // 2
  made.other(a, {});   // 3: after its readers
  made.other(a, {});   // 4
  made.other(c, {b});  // 5
  const auto order = order_of(made);
  EXPECT_EQ(order.after, (std::vector<numbers>{{}, {0}, {0}, {0, 1, 2}, {3}, {1, 2}}));
}

TEST(FusionMemoryOrder, PartsOfMemory) {
  small_program made;
  const auto a = made.tensor({4, 4}), b = made.tensor({4});
  made.other(rows(a, 0, 2), {});   // 0
  made.other(rows(a, 2, 2), {});   // 1
  made.other(b, {rows(a, 1, 2)});  // 2: of both
  made.other(rows(a, 0, 1), {});   // 3: what 2 does not read
  made.other(rows(a, 1, 1), {});   // 4
  const auto order = order_of(made);
  EXPECT_EQ(order.after, (std::vector<numbers>{{}, {}, {0, 1}, {0}, {0, 2}}));
}

TEST(FusionMemoryOrder, NothingPassesABarrier) {
  small_program made;
  const auto a = made.tensor({4});
  const auto written = made.pointwise(a, {});
  const auto barrier = made.barrier();
  const auto later = made.other(made.tensor({4}), {});
  const auto order = order_of(made);
  EXPECT_EQ(order.after[later], numbers{barrier});
  EXPECT_EQ(order.values[written].readers, numbers{barrier});
}

TEST(FusionMemoryOrder, AValueIsReadUntilAllOfItIsOverwritten) {
  small_program made;
  const auto a = made.tensor({4, 4}), b = made.tensor({4, 4});
  const auto first = made.pointwise(a, {});
  const auto in_part = made.pointwise(column(a), {b});
  const auto reader = made.other(b, {rows(a, 0, 2)});
  const auto second = made.pointwise(a, {});
  const auto other_reader = made.other(b, {a});
  const auto order = order_of(made);
  EXPECT_EQ(order.values[first].readers, numbers{reader});
  EXPECT_EQ(order.values[in_part].readers, numbers{reader});
  EXPECT_EQ(order.values[second].readers, numbers{other_reader});
}

TEST(FusionMemoryOrder, OthersMayLeaveAPartOfWhatTheyWriteTo) {
  small_program made;
  const auto a = made.tensor({4}), b = made.tensor({4});
  const auto first = made.pointwise(a, {});
  made.other(a, {b});  // as scatter_
  const auto reader = made.other(b, {a});
  EXPECT_EQ(order_of(made).values[first].readers, numbers{reader});
}

TEST(FusionMemoryOrder, AValueIsSeenWhereItsMemoryIs) {
  small_program made;
  const auto a = made.seen({4}), b = made.tensor({4});
  const auto first = made.pointwise(a, {}), second = made.pointwise(a, {}), third = made.pointwise(b, {});
  const auto order = order_of(made);
  EXPECT_FALSE(order.values[first].is_seen);
  EXPECT_TRUE(order.values[second].is_seen);
  EXPECT_FALSE(order.values[third].is_seen);
}

TEST(FusionMemoryOrder, WhatAFreedStorageHeldIsGone) {
  small_program made;
  const auto a = made.tensor({8}), b = made.tensor({8});
  const auto value = made.pointwise(a, {});
  const auto reader = made.pointwise(b, {a});
  const auto reused = made.tensor({4}, false, at::kFloat, a.address);
  made.other(reused, {b});
  made.other(b, {reused});
  EXPECT_EQ(order_of(made).values[value].readers, numbers{reader});
}

// Whatever the record promises of its memories.
TEST(FusionMemoryOrder, AValueStaysWhileItsStorageIsUsed) {
  small_program made;
  const auto a = made.tensor({8}), b = made.tensor({8});
  const auto value = made.pointwise(a, {});
  const auto alias = made.tensor({4}, false, at::kFloat, a.address);
  const auto of_alias = made.other(b, {alias});
  const auto of_own = made.other(b, {a});
  EXPECT_EQ(order_of(made).values[value].readers, (numbers{of_alias, of_own}));
}

}  // namespace
}  // namespace fusion_test
