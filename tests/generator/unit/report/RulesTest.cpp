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
  EXPECT_EQ(helpUri(*Item), "https://docs.example/graphgen/checks/graphed-host-item.md");
  EXPECT_EQ(helpLine(*Item), "help: https://docs.example/graphgen/checks/graphed-host-item.md\n");
  EXPECT_EQ(helpLine(*Syntax), "help: https://docs.example/graphgen/diagnostics/graphed-syntax.md\n");
}

TEST(Rules, AnIdOfTheCompilerHasNoPage) { EXPECT_EQ(ruleNamed("clang-diagnostic-error"), nullptr); }

}  // namespace
}  // namespace graphgen::report
