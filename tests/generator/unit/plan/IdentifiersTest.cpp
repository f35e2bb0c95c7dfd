// SPDX-License-Identifier: Apache-2.0
//
// The names of what is generated.
#include "Callables.h"

using namespace graphgen;
using namespace graphgen::plan_tests;

namespace {

std::vector<std::string> identifiers(const std::vector<annotation::Callable>& Callables) {
  std::vector<std::string> Names;
  for (const plan::Callable& Each : planOf(Callables).Callables) {
    Names.push_back(Each.Identifier);
  }
  return Names;
}

using Names = std::vector<std::string>;

TEST(Identifiers, AreTheFunctionsNameOrClassAndMethod) {
  EXPECT_EQ(
      identifiers({function("app::train_step", "", {}), method("app::NetImpl", "forward", "", {}), method("Scale", "operator()", "", {})}),
      (Names{"TrainStep", "NetImplForward", "ScaleCall"}));
}

TEST(Identifiers, TakeAsManyScopesAsTheyNeed) {
  EXPECT_EQ(identifiers({function("a::x::f", "", {}), function("b::x::f", "", {}), function("a::g", "", {})}), (Names{"AXF", "BXF", "G"}));
  EXPECT_EQ(identifiers({function("f", "", {}), function("a::f", "", {})}), (Names{"F", "AF"}));
}

TEST(Identifiers, LeaveTheOtherScopesForGlue) {
  const auto Scopes = [](const std::vector<annotation::Callable>& Callables) {
    std::vector<std::string> Left;
    for (const plan::Callable& Each : planOf(Callables).Callables) {
      Left.push_back(Each.Scopes);
    }
    return Left;
  };
  EXPECT_EQ(Scopes({function("f", "", {}), function("a::g", "", {}), method("a::b::NetImpl", "forward", "", {})}), (Names{"", "A", "AB"}));
  EXPECT_EQ(Scopes({function("z::a::x::f", "", {}), function("z::b::x::f", "", {})}), (Names{"Z", "Z"}));
}

TEST(Identifiers, LeaveTheFileForGlue) {
  const auto File = [](const std::string& Input) { return planOf({function("f", "", {})}, Input).Callables.front().File; };
  EXPECT_EQ(File("policy.h"), "Policy");
  EXPECT_EQ(File("nets/two-headed.v2.hpp"), "NetsTwoHeadedV2");
  EXPECT_EQ(File("\xc3\xa9.h"), "");
}

TEST(Identifiers, HoldTheArgumentsOfTemplates) {
  EXPECT_EQ(identifiers({function("app::scale<float>", "", {}), function("app::scale<a::Half>", "", {}),
                         method("app::Sized<4, bool>", "forward", "", {})}),
            (Names{"ScaleFloat", "ScaleAHalf", "Sized4BoolForward"}));
}

TEST(Identifiers, NumberOverloads) {
  std::vector<annotation::Callable> Overloads = {function("f", "", {}), function("f", "", {}), function("f2", "", {})};
  Overloads[0].FunctionType = "void ()";
  Overloads[1].FunctionType = "void (int)";
  EXPECT_EQ(identifiers(Overloads), (Names{"F", "F3", "F2"}));
}

TEST(Identifiers, DifferInMoreThanCase) {
  EXPECT_EQ(identifiers({function("runMLP", "", {}), function("run_mlp", "", {})}), (Names{"RunMLP", "RunMlp2"}));
}

TEST(Identifiers, AreValidForAnyName) {
  EXPECT_EQ(identifiers({function("_", "", {}), function("_1", "", {}), function("\xc3\xa9t\xc3\xa9", "", {})}),
            (Names{"Callable", "Callable1", "\xc3\xa9t\xc3\xa9"}));
}

}  // namespace
