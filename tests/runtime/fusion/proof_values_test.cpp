// SPDX-License-Identifier: Apache-2.0
#include "fusion/proof_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace proof_values_test {

using namespace graphed::impl::fusion;

TEST(ProofValues, HaveEachPatternOfHalfTypesAndEachExponent) {
  std::vector<bool> seen(65536);
  const at::Tensor half = proof_values(at::kHalf, 0);
  for (int64_t i = 0; i < half.numel(); ++i) {
    seen[half.data_ptr<c10::Half>()[i].x] = true;
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 65536);
  std::vector<bool> exponents(256);
  const at::Tensor single = proof_values(at::kFloat, 1);
  for (int64_t i = 0; i < single.numel(); ++i) {
    uint32_t bits;
    std::memcpy(&bits, single.data_ptr<float>() + i, sizeof bits);
    exponents[bits >> 23 & 255] = true;
  }
  EXPECT_EQ(std::count(exponents.begin(), exponents.end(), true), 256);
}

}  // namespace proof_values_test
