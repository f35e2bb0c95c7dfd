// SPDX-License-Identifier: Apache-2.0
//
// The plan and the new edges together: a graph with fused groups computes what the steps compute one by one.
#include "random_program.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>

namespace fusion_test {
namespace {

void expect_same_bits(shape_of_graph shape) {
  std::size_t steps = 0, fused = 0, stored = 0, side_by_side = 0;
  for (unsigned seed = 0; seed < 5000; ++seed) {
    std::mt19937 random(seed);
    const random_program made = make_program(random, shape);
    const auto kernels = plan_kernels(made.traced, made.formulas);
    const outcome expected = run_in_order(made);
    const outcome found = run_fused(made, kernels, random);
    ASSERT_EQ(found.read, expected.read) << "seed " << seed;
    ASSERT_EQ(found.seen, expected.seen) << "seed " << seed;
    steps += made.traced.steps.size();
    for (const auto& kernel : kernels) {
      fused += kernel.steps.size();
      side_by_side += kernel.groups.size() > 1 ? 1 : 0;
      for (const auto& each : kernel.groups) {
        stored += each.group.stores.size();
      }
    }
  }
  EXPECT_GT(fused, steps / 3);  // otherwise the programs show little
  EXPECT_GT(side_by_side, steps / 100);
  EXPECT_LT(stored, 2 * fused / 3);
}

TEST(FusionRandomPrograms, OnChainsHaveTheSameBits) { expect_same_bits(shape_of_graph::chain); }

TEST(FusionRandomPrograms, OnBranchesHaveTheSameBits) { expect_same_bits(shape_of_graph::branches); }

}  // namespace
}  // namespace fusion_test
