// SPDX-License-Identifier: Apache-2.0
//
// Where messages lead in a runtime that was built with GRAPHGEN_DOCS_URL: its source is compiled for this test with a URL. Where they lead
// without one is seen in the messages themselves.
#include <gtest/gtest.h>
#include <report/pages.h>
#include <report/remedies.h>

namespace pages_test {

using namespace graphed::impl;

TEST(Pages, LieAtTheUrlOfTheBuild) {
  EXPECT_EQ(see(pages::guards), "; see https://docs.example/graphgen/explanation/guards.md#what-to-do");
  EXPECT_EQ(see(pages::optim), "; see https://docs.example/graphgen/how-to/training-steps.md#optimizers");
}

TEST(Pages, EachMissHasOne) {
  for (std::size_t reason = 0; reason < static_cast<std::size_t>(graphed::Miss::NumReasons); ++reason) {
    const remedy found = remedy_of(static_cast<graphed::Miss>(reason));
    EXPECT_FALSE(found.page.empty()) << reason;
  }
  EXPECT_EQ(remedy_of(graphed::Miss::Slots).text, "`slots = n`, as many as calls are made before their backwards");
}

}  // namespace pages_test
