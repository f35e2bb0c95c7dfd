// SPDX-License-Identifier: Apache-2.0
//
// Where messages lead in a runtime that was built with GRAPHGEN_DOCS_URL: its source is compiled for this test with a URL. Where they lead
// without one is seen in the messages themselves.
#include <gtest/gtest.h>
#include <report/pages.h>

namespace pages_test {

using namespace graphed::impl;

TEST(Pages, LieAtTheUrlOfTheBuild) {
  EXPECT_EQ(see(pages::guards), "; see https://docs.example/graphgen/promises/guards.md");
  EXPECT_EQ(see(pages::optim), "; see https://docs.example/graphgen/optim.md");
}

}  // namespace pages_test
