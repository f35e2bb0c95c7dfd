// SPDX-License-Identifier: Apache-2.0
//
// Qualified names, taken apart.
#include "plan/QualifiedName.h"

#include <gtest/gtest.h>

using graphgen::plan::componentsOf;

namespace {

using Components = std::vector<llvm::StringRef>;

TEST(QualifiedName, IsDividedByColons) {
  EXPECT_EQ(componentsOf("f"), (Components{"f"}));
  EXPECT_EQ(componentsOf("app::Net::forward"), (Components{"app", "Net", "forward"}));
  EXPECT_EQ(componentsOf("app::Net::operator()"), (Components{"app", "Net", "operator()"}));
}

TEST(QualifiedName, KeepsTemplateArgumentsTogether) {
  EXPECT_EQ(componentsOf("app::Net<app::Config, a::B<c::D>>::f<(app::Mode)1>"),
            (Components{"app", "Net<app::Config, a::B<c::D>>", "f<(app::Mode)1>"}));
  EXPECT_EQ(componentsOf("f<a::B>"), (Components{"f<a::B>"}));
}

}  // namespace
