// SPDX-License-Identifier: Apache-2.0
//
// Qualified names, taken apart.
#include "plan/QualifiedName.h"

#include <gtest/gtest.h>

using graphgen::plan::componentsOf;

namespace {

using Names = std::vector<llvm::StringRef>;

TEST(QualifiedName, IsDividedByColons) {
  EXPECT_EQ(componentsOf("f"), (Names{"f"}));
  EXPECT_EQ(componentsOf("app::Net::forward"), (Names{"app", "Net", "forward"}));
  EXPECT_EQ(componentsOf("app::Net::operator()"), (Names{"app", "Net", "operator()"}));
}

TEST(QualifiedName, KeepsTemplateArgumentsTogether) {
  EXPECT_EQ(componentsOf("app::Net<app::Config, a::B<c::D>>::f<(app::Mode)1>"),
            (Names{"app", "Net<app::Config, a::B<c::D>>", "f<(app::Mode)1>"}));
  EXPECT_EQ(componentsOf("f<a::B>"), (Names{"f<a::B>"}));
}

}  // namespace
