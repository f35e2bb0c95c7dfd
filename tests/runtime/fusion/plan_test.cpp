// SPDX-License-Identifier: Apache-2.0
//
// Which steps become a kernel, when it runs, and what it loads and stores.
#include "fusion/plan.h"
#include "small_program.h"

#include <gtest/gtest.h>

namespace fusion_test {
namespace {

using numbers = std::vector<std::size_t>;
using sizes = std::vector<int64_t>;

std::vector<numbers> steps_of(const std::vector<planned_kernel>& kernels) {
  std::vector<numbers> result;
  for (const auto& each : kernels) {
    result.push_back(each.steps);
  }
  return result;
}

std::vector<numbers> plan(const small_program& made) { return steps_of(plan_kernels(made.traced, made.formulas)); }

traced_tensor transposed(traced_tensor of) {
  std::swap(of.sizes[0], of.sizes[1]);
  std::swap(of.strides[0], of.strides[1]);
  return of;
}

traced_tensor as(traced_tensor of, sizes shape) {
  of.strides = contiguous(shape);
  of.sizes = std::move(shape);
  return of;
}

/// Two steps, and a product between them that the second one waits for, or on another branch does not.
std::vector<numbers> plan_beside_a_product(std::size_t branch_of_product, bool is_awaited) {
  small_program made;
  const auto a = made.seen({8, 8}), b = made.tensor({8, 8}), c = made.seen({8, 8}), d = made.seen({8, 8});
  made.pointwise(b, {a});
  made.traced.steps[made.other(c, {a})].branch = branch_of_product;
  made.pointwise(d, {b, is_awaited ? c : a});
  return plan(made);
}

TEST(FusionPlan, NoBranchWaitsForAnotherOne) {
  const std::vector<numbers> both{{0, 2}}, none;
  EXPECT_EQ(plan_beside_a_product(0, true), both);
  EXPECT_EQ(plan_beside_a_product(0, false), both);
  EXPECT_EQ(plan_beside_a_product(1, true), none);
  EXPECT_EQ(plan_beside_a_product(1, false), both);
}

TEST(FusionPlan, OnBranchesStepsFollowOneAnother) {
  small_program made;
  const auto a = made.seen({8, 8}), b = made.tensor({8, 8}), c = made.seen({8, 8}), d = made.seen({8, 8}), e = made.seen({8, 8});
  made.pointwise(b, {a});
  made.other(c, {a});
  made.traced.steps[made.other(e, {a})].branch = 1;
  made.pointwise(d, {b});
  EXPECT_EQ(plan(made), std::vector<numbers>());
}

TEST(FusionPlan, AChainKeepsItsValuesInRegisters) {
  small_program made;
  const auto a = made.seen({8, 8}), b = made.tensor({8, 8}), c = made.tensor({8, 8}), d = made.seen({8, 8});
  made.pointwise(b, {a});
  made.pointwise(c, {b, a});
  made.pointwise(d, {c});
  const auto kernels = plan_kernels(made.traced, made.formulas);
  ASSERT_EQ(steps_of(kernels), (std::vector<numbers>{{0, 1, 2}}));
  EXPECT_EQ(kernels[0].before, 3U);
  const auto& kernel = kernels[0].groups[0];
  EXPECT_EQ(kernel.group.sizes, sizes{64});
  EXPECT_EQ(kernel.addresses, (std::vector<uintptr_t>{a.address, d.address}));
  ASSERT_EQ(kernel.group.stores.size(), 1U);
  EXPECT_EQ(kernel.group.stores[0].step, 2U);
  EXPECT_EQ(kernel.group.steps[1].operands[0].from, operand::source::step);
  EXPECT_EQ(kernel.group.steps[1].operands[1].from, operand::source::memory);
}

TEST(FusionPlan, WhatOthersReadIsStored) {
  small_program made;
  const auto a = made.seen({8}), b = made.tensor({8}), c = made.tensor({8});
  made.pointwise(b, {a});
  made.pointwise(c, {b});
  made.other(made.seen({}), {b});
  made.other(made.seen({}), {c});
  const auto kernels = plan_kernels(made.traced, made.formulas);
  ASSERT_EQ(steps_of(kernels), (std::vector<numbers>{{0, 1}}));
  EXPECT_EQ(kernels[0].before, 2U);
  EXPECT_EQ(kernels[0].groups[0].group.stores.size(), 2U);
}

TEST(FusionPlan, AStepJoinsAcrossOthersUntilOneDependsOnTheGroup) {
  small_program made;
  const auto a = made.seen({8}), b = made.tensor({8}), c = made.tensor({8}), sum = made.seen({}), d = made.seen({8}), e = made.seen({8});
  made.pointwise(b, {a});       // 0
  made.other(c, {a});           // 1
  made.pointwise(b, {b, c});    // 2: the group comes after 1
  made.other(sum, {b});         // 3: and before this
  made.pointwise(d, {b});       // 4: moves before 3
  made.pointwise(e, {b, sum});  // 5: cannot
  const auto kernels = plan_kernels(made.traced, made.formulas);
  ASSERT_EQ(steps_of(kernels), (std::vector<numbers>{{0, 2, 4}}));
  EXPECT_EQ(kernels[0].before, 3U);
}

TEST(FusionPlan, TwoChainsThatMeetAreOneGroup) {
  small_program made;
  const auto a = made.seen({8}), b = made.tensor({8}), c = made.tensor({8}), d = made.tensor({8}), e = made.seen({8});
  made.pointwise(b, {a});
  made.other(c, {a});
  made.pointwise(d, {c});
  made.pointwise(e, {b, d});
  EXPECT_EQ(plan(made), (std::vector<numbers>{{0, 2, 3}}));
}

TEST(FusionPlan, NothingPassesABarrier) {
  small_program made;
  const auto a = made.seen({8}), b = made.seen({8});
  made.pointwise(b, {a});
  made.barrier();
  made.pointwise(b, {b});
  EXPECT_TRUE(plan(made).empty());
}

TEST(FusionPlan, InPlaceStepsStoreOnce) {
  small_program made;
  const auto a = made.seen({8}), b = made.seen({8});
  made.pointwise(a, {a, b});
  made.pointwise(a, {a});
  const auto kernels = plan_kernels(made.traced, made.formulas);
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].groups[0].addresses, (std::vector<uintptr_t>{a.address, b.address}));
  ASSERT_EQ(kernels[0].groups[0].group.stores.size(), 1U);
  EXPECT_EQ(kernels[0].groups[0].group.stores[0].step, 1U);
}

TEST(FusionPlan, ElementsOfOtherThreadsEndTheGroup) {
  small_program made;
  const auto square = made.tensor({8, 8}), other = made.tensor({8, 8});
  made.pointwise(square, {other});
  made.pointwise(other, {transposed(square)});
  EXPECT_TRUE(plan(made).empty());

  small_program reused;  // `other` is loaded, freed, and there is something else at its address
  const auto a = reused.tensor({8, 8}), b = reused.tensor({8, 8});
  reused.other(a, {});
  reused.pointwise(b, {a});
  reused.pointwise(reused.tensor({8, 8}, true, at::kHalf, a.address), {b});
  EXPECT_TRUE(plan(reused).empty());
}

TEST(FusionPlan, MemoryThatIsInRegistersAloneMayBeReused) {
  small_program made;
  const auto a = made.seen({8, 8}), b = made.tensor({8, 8}), c = made.tensor({8, 8});
  made.pointwise(b, {a});
  made.pointwise(c, {b});
  made.pointwise(made.tensor({8, 8}, true, at::kHalf, b.address), {c});
  const auto kernels = plan_kernels(made.traced, made.formulas);
  ASSERT_EQ(steps_of(kernels), (std::vector<numbers>{{0, 1, 2}}));
  EXPECT_EQ(kernels[0].groups[0].addresses, (std::vector<uintptr_t>{a.address, b.address}));
}

TEST(FusionPlan, OperandsAreBroadcast) {
  small_program made;
  const auto row = made.seen({8}), column = made.seen({4, 1}), scale = made.seen({}), sum = made.tensor({4, 8}), out = made.seen({4, 8});
  made.pointwise(sum, {row, column});
  made.pointwise(out, {sum, scale});
  const auto kernels = plan_kernels(made.traced, made.formulas);
  ASSERT_EQ(kernels.size(), 1U);
  const auto& group = kernels[0].groups[0].group;
  EXPECT_EQ(group.sizes, (sizes{4, 8}));
  ASSERT_EQ(group.memories.size(), 4U);
  EXPECT_EQ(group.memories[0].strides, (sizes{0, 1}));
  EXPECT_EQ(group.memories[1].strides, (sizes{1, 0}));
  EXPECT_EQ(group.memories[2].strides, (sizes{0, 0}));
  EXPECT_EQ(group.memories[3].strides, (sizes{8, 1}));
}

TEST(FusionPlan, TheStepsThatReadABroadcastResultAreOfAnotherGroup) {
  small_program made;
  const auto a = made.seen({8}), b = made.tensor({8}), c = made.tensor({8}), d = made.seen({4, 8});
  made.pointwise(b, {a});
  made.pointwise(c, {b});
  made.pointwise(d, {c});
  made.pointwise(d, {d});
  const auto kernels = plan_kernels(made.traced, made.formulas);
  ASSERT_EQ(steps_of(kernels), (std::vector<numbers>{{0, 1}, {2, 3}}));
  EXPECT_EQ(kernels[0].before, 2U);
}

TEST(FusionPlan, ViewsInBetweenKeepTheNumbersOfElements) {
  small_program made;
  const auto a = made.seen({4, 1, 6}), b = made.tensor({4, 1, 6}), c = made.tensor({4, 6}), d = made.seen({24});
  made.pointwise(b, {a});
  made.pointwise(c, {as(b, {4, 6})});
  made.pointwise(d, {as(c, {24})});
  EXPECT_EQ(plan(made), (std::vector<numbers>{{0, 1, 2}}));

  small_program uneven;  // 4 by 6 is not a view of 3 by 8, nor the other way round
  const auto e = uneven.tensor({4, 6});
  uneven.pointwise(e, {});
  uneven.pointwise(uneven.seen({3, 8}), {as(e, {3, 8})});
  EXPECT_TRUE(plan(uneven).empty());
}

TEST(FusionPlan, ThreadsFollowTheMemoryOfTheResult) {
  small_program made;
  const auto a = made.seen({4, 8}), b = made.tensor({4, 8}), c = made.seen({8, 4});
  made.pointwise(b, {a});
  made.pointwise(transposed(c), {b, a});  // 4 by 8
  const auto kernels = plan_kernels(made.traced, made.formulas);
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].groups[0].group.sizes, (sizes{8, 4}));
  EXPECT_EQ(kernels[0].groups[0].group.memories[0].strides, (sizes{1, 8}));
  EXPECT_EQ(kernels[0].groups[0].group.memories[1].strides, (sizes{4, 1}));
}

TEST(FusionPlan, ResultsWhoseElementsShareMemoryAreLeftAlone) {
  small_program made;
  auto a = made.seen({4, 8});
  a.strides = {1, 1};
  made.pointwise(a, {});
  made.pointwise(a, {a});
  EXPECT_TRUE(plan(made).empty());
}

TEST(FusionPlan, AGroupHasALargestSize) {
  small_program made;
  const auto a = made.seen({8});
  for (std::size_t i = 0; i < most_steps + 2; ++i) {
    made.pointwise(a, {a});
  }
  const auto groups = plan(made);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].size(), most_steps);

  small_program wide;
  const auto sum = wide.seen({8});
  for (std::size_t i = 0; i < most_memories + 1; ++i) {
    wide.pointwise(sum, {sum, wide.seen({8})});
  }
  ASSERT_EQ(plan(wide).size(), 2U);
  EXPECT_EQ(plan(wide)[0].size(), most_memories - 1);
}

TEST(FusionPlan, SmallGroupsRunSideBySide) {
  small_program made;
  const auto a = made.seen({8}), b = made.seen({3, 7}), large = made.seen({1 << 20}), other = made.seen({1 << 20});
  made.pointwise(a, {a});          // 0
  made.pointwise(b, {b});          // 1
  made.pointwise(a, {a});          // 2
  made.pointwise(large, {large});  // 3
  made.pointwise(other, {other});  // 4
  const auto kernels = plan_kernels(made.traced, made.formulas);
  ASSERT_EQ(steps_of(kernels), (std::vector<numbers>{{0, 1, 2}}));
  ASSERT_EQ(kernels[0].groups.size(), 2U);
  EXPECT_EQ(kernels[0].groups[0].addresses, std::vector<uintptr_t>{a.address});
  EXPECT_EQ(kernels[0].groups[1].addresses, std::vector<uintptr_t>{b.address});
}

TEST(FusionPlan, GroupsThatShareMemoryThatOneWritesDoNotRunSideBySide) {
  small_program made;
  const auto a = made.seen({8}), b = made.seen({4, 8}), c = made.seen({4});
  made.pointwise(b, {a});
  made.pointwise(b, {b, a});
  made.pointwise(a, {a});  // what the first group has read
  made.pointwise(c, {c});
  const auto kernels = plan_kernels(made.traced, made.formulas);
  ASSERT_EQ(steps_of(kernels), (std::vector<numbers>{{0, 1, 3}}));
  EXPECT_EQ(kernels[0].before, 2U);
}

TEST(FusionPlan, AnOperandThatOverlapsTheResultOtherwiseStaysWithLibTorch) {
  small_program made;
  const auto a = made.seen({9}), b = made.seen({4});
  auto first = as(a, {8}), second = as(a, {8});
  second.address += 4;
  made.pointwise(second, {first});
  made.pointwise(b, {b});
  EXPECT_TRUE(plan(made).empty());
}

}  // namespace
}  // namespace fusion_test
