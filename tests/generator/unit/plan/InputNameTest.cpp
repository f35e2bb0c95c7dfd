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

TEST(InputName, MustBeText) {
  for (const char* Name : {"a\xff.h", "a\xc3.h", "a\xed\xa0\x80.h", "\xc0\xaf.h"}) {
    EXPECT_NE(refusal(Name).find("not UTF-8"), std::string::npos) << Name;
  }
  for (const char* Name : {"a\xc2\x80.h", "a\xc2\x9f.h", "a\xd8\x9c.h", "\xe2\x80\xa8.h", "\xe2\x80\xae.h", "a/\xe2\x81\xa6.h"}) {
    EXPECT_NE(refusal(Name).find("direction"), std::string::npos) << Name;
  }
  for (const char* Name : {"\xc2\xa0.h",
                           "gr\xc3\xb6\xc3\x9f"
                           "e.h",
                           "\xe5\x8f\x98\xe9\x87\x8f.h", "\xf0\x9f\x8c\xb2.h", "\xe2\x80\xa7.h"}) {
    EXPECT_EQ(refusal(Name), "") << Name;
  }
}

TEST(InputName, MustMeanTheSameWithTrigraphs) {
  EXPECT_NE(refusal("what?\?/policy.h").find("trigraph"), std::string::npos);
  EXPECT_NE(refusal("what?\?\?-.h").find("trigraph"), std::string::npos);
  EXPECT_EQ(refusal("what?\?.h"), "");
  EXPECT_EQ(refusal("what?/policy.h"), "");
}

TEST(InputName, IsClippedAndEscapedInMessages) {
  const std::string Message = refusal(std::string(100000, '\n'));
  EXPECT_LT(Message.size(), 1000u);
  EXPECT_EQ(Message.find('\n'), std::string::npos);
}

}  // namespace
