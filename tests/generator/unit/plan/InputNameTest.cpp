// SPDX-License-Identifier: Apache-2.0
//
// Which input files generated code can be written for.
#include "plan/Plan.h"

#include <gtest/gtest.h>

#include <string>

using namespace graphgen;

namespace {

std::string refusal(const std::string& Name) { return llvm::toString(plan::checkInputName(Name)); }

TEST(InputName, MayLieInAFolder) {
  EXPECT_EQ(refusal("policy.h"), "");
  EXPECT_EQ(refusal("net/deep/policy with spaces.h"), "");
  EXPECT_EQ(refusal("..policy..h"), "");
}

TEST(InputName, MustStayBelowTheOutputFolder) {
  EXPECT_NE(refusal("/src/policy.h").find("absolute"), std::string::npos);
  EXPECT_NE(refusal("../policy.h").find("'..'"), std::string::npos);
  EXPECT_NE(refusal("net/../../policy.h").find("'..'"), std::string::npos);
}

TEST(InputName, MustFitAnInclude) {
  for (const char* Name : {"", "a\"b.h", "a\\b.h", "a\nb.h", "a>b.h", "a/*b.h", "a//b.h", "a\x7f.h"}) {
    EXPECT_NE(refusal(Name), "") << Name;
  }
}

TEST(InputName, IsClippedAndEscapedInMessages) {
  const std::string Message = refusal(std::string(100000, '\n'));
  EXPECT_LT(Message.size(), 1000u);
  EXPECT_EQ(Message.find('\n'), std::string::npos);
}

}  // namespace
