// SPDX-License-Identifier: Apache-2.0
//
// The rule's target, by the depfile's name.
#include "driver/Depfile.h"

#include <gtest/gtest.h>

using graphgen::driver::depfileText;

namespace {

std::string textOf(llvm::StringRef Path) {
  llvm::Expected<std::string> Text = depfileText(Path, {"/a.h"});
  return Text ? *Text : llvm::toString(Text.takeError());
}

TEST(Depfile, NamesWhatTheBuildSystemTouches) {
  EXPECT_EQ(textOf("out/policy.stamp.d"), "out/policy.stamp: \\\n  /a.h\n");
  EXPECT_EQ(textOf("policy.dep"), "policy.dep: \\\n  /a.h\n");
}

TEST(Depfile, AlwaysHasATarget) {
  EXPECT_EQ(textOf(".d"), ".d: \\\n  /a.h\n");
  EXPECT_EQ(textOf("out/.d"), "out/.d: \\\n  /a.h\n");
}

}  // namespace
