// SPDX-License-Identifier: Apache-2.0
//
// Where the pages of diagnostics are.
#include "report/Rules.h"

#include <gtest/gtest.h>

namespace graphgen::report {
namespace {

TEST(Rules, PagesArePublishedWhereTheBuildSays) {
  const Rule* Item = ruleNamed("graphed-host-item");
  const Rule* Syntax = ruleNamed("graphed-syntax");
  ASSERT_TRUE(Item && Syntax);
  EXPECT_EQ(helpUri(*Item), "https://docs.example/graphgen/reference/checks/host-values.md#graphed-host-item");
  EXPECT_EQ(helpLine(*Item), "help: https://docs.example/graphgen/reference/checks/host-values.md#graphed-host-item\n");
  EXPECT_EQ(helpLine(*Syntax), "help: https://docs.example/graphgen/reference/diagnostics.md#graphed-syntax\n");
}

TEST(Rules, AnIdOfTheCompilerHasNoPage) { EXPECT_EQ(ruleNamed("clang-diagnostic-error"), nullptr); }

}  // namespace
}  // namespace graphgen::report
