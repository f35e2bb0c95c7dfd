// SPDX-License-Identifier: Apache-2.0
//
// Bytes and times in words.
#include "plan/Units.h"

#include <gtest/gtest.h>

#include <limits>

namespace graphgen::plan {
namespace {

using std::chrono::duration;

TEST(Units, BytesHaveTheLargestUnitThatIsNotLessThanOne) {
  EXPECT_EQ(bytesInWords(0), "0 B");
  EXPECT_EQ(bytesInWords(1023), "1023 B");
  EXPECT_EQ(bytesInWords(1024), "1.0 KiB");
  EXPECT_EQ(bytesInWords(1536), "1.5 KiB");
  EXPECT_EQ(bytesInWords(uint64_t{5} << 20), "5.0 MiB");
  EXPECT_EQ(bytesInWords(uint64_t{3} << 40), "3.0 TiB");
  EXPECT_EQ(bytesInWords(std::numeric_limits<uint64_t>::max()), "16.0 EiB");
}

TEST(Units, RoundingNeverShowsAFullUnitOfTheNext) {
  EXPECT_EQ(bytesInWords(1024 * 1024 - 64), "1023.9 KiB");
  EXPECT_EQ(bytesInWords(1024 * 1024 - 1), "1.0 MiB");
  EXPECT_EQ(timeInWords(duration<double>(0.9996)), "1.0 s");
  EXPECT_EQ(timeInWords(duration<double>(59.97)), "1 min 0 s");
}

TEST(Units, TimesAreMillisecondsSecondsOrMinutes) {
  EXPECT_EQ(timeInWords(duration<double>(0)), "0 ms");
  EXPECT_EQ(timeInWords(duration<double>(0.104)), "104 ms");
  EXPECT_EQ(timeInWords(duration<double>(12.46)), "12.5 s");
  EXPECT_EQ(timeInWords(duration<double>(125)), "2 min 5 s");
}

}  // namespace
}  // namespace graphgen::plan
