// SPDX-License-Identifier: Apache-2.0
//
// Which gradients travel together.
#include "distributed/buckets.h"

#include <ATen/Functions.h>

#include <gtest/gtest.h>

namespace graphed::impl {
namespace {

std::vector<std::size_t> sizes_of(const std::vector<at::Tensor>& tensors, std::size_t first, std::size_t next) {
  std::vector<std::size_t> sizes;
  for (const auto& bucket : in_buckets(tensors, first, next)) {
    sizes.push_back(bucket.size());
  }
  return sizes;
}

at::Tensor of_bytes(int64_t bytes, at::ScalarType dtype = at::kByte) {
  return at::zeros({bytes / static_cast<int64_t>(c10::elementSize(dtype))}, dtype);
}

TEST(Buckets, AreClosedWhenTheyAreFull) {
  EXPECT_EQ(sizes_of({of_bytes(4), of_bytes(6), of_bytes(8), of_bytes(20), of_bytes(12), of_bytes(1)}, 10, 20),
            (std::vector<std::size_t>{2, 2, 2}));
}

TEST(Buckets, OfATensorThatIsLargerHoldNoOther) {
  EXPECT_EQ(sizes_of({of_bytes(100), of_bytes(100), of_bytes(1), of_bytes(1)}, 10, 20), (std::vector<std::size_t>{1, 1, 2}));
}

TEST(Buckets, AreOfOneDtype) {
  const auto buckets =
      in_buckets(std::vector<at::Tensor>{of_bytes(8), of_bytes(8, at::kFloat), of_bytes(8), of_bytes(8, at::kFloat)}, 16, 16);
  ASSERT_EQ(buckets.size(), 2U);
  for (const auto& bucket : buckets) {
    EXPECT_EQ(bucket.size(), 2U);
    EXPECT_EQ(bucket[0].scalar_type(), bucket[1].scalar_type());
  }
}

TEST(Buckets, OfNothingAreNone) { EXPECT_TRUE(in_buckets({}, 10, 20).empty()); }

}  // namespace
}  // namespace graphed::impl
