// SPDX-License-Identifier: Apache-2.0
//
// Lists of globs.
#include "check/Globs.h"

#include <gtest/gtest.h>

namespace graphgen::check {
namespace {

TEST(Globs, TakeWhatTheLastFittingOneSays) {
  EXPECT_TRUE(Globs("*").contains("graphed-host-item"));
  EXPECT_FALSE(Globs("").contains("graphed-host-item"));
  EXPECT_FALSE(Globs("*,-graphed-host-*").contains("graphed-host-item"));
  EXPECT_TRUE(Globs("*,-graphed-host-*").contains("graphed-allow"));
  EXPECT_TRUE(Globs("*,-graphed-host-*,graphed-host-item").contains("graphed-host-item"));
  EXPECT_FALSE(Globs("graphed-host-item,-*").contains("graphed-host-item"));
}

TEST(Globs, FitWholeNames) {
  EXPECT_FALSE(Globs("host").contains("graphed-host-item"));
  EXPECT_FALSE(Globs("graphed-host").contains("graphed-host-item"));
  EXPECT_FALSE(Globs("graphed.host.item").contains("graphed-host-item"));
  EXPECT_TRUE(Globs("*host*").contains("graphed-host-item"));
  EXPECT_TRUE(Globs("g*-*-i*m").contains("graphed-host-item"));
  EXPECT_FALSE(Globs("*-host").contains("graphed-host-item"));
}

TEST(Globs, MayHaveBlanksAroundThem) {
  EXPECT_TRUE(Globs(" -* , graphed-host-item ,").contains("graphed-host-item"));
  EXPECT_FALSE(Globs(" -* , graphed-host-item ,").contains("graphed-host-copy"));
}

TEST(Globs, NameTheFirstThatFitsNothing) {
  EXPECT_EQ(Globs("*,-graphed-a,b*").useless({"graphed-a", "graphed-b"}), "b*");
  EXPECT_EQ(Globs("-graphed-*,graphed-a").useless({"graphed-a", "graphed-b"}), "");
}

}  // namespace
}  // namespace graphgen::check
