// SPDX-License-Identifier: Apache-2.0
//
// Summaries, written and read, and what calls through them come to.
#include "check/join/Join.h"

#include <gtest/gtest.h>

namespace graphgen::check::join {
namespace {

Told finding(const std::string& Check, std::vector<int64_t> About) {
  Told Its;
  Its.Check = Check;
  Its.Where = {"/b.cpp", 3, 5};
  Its.Message = "'add_' writes to the argument 'v', not to the argument 'vs'";
  Its.Subject = "the argument 'v";
  Its.About = std::move(About);
  Its.IsCertain = true;
  return Its;
}

Given given(Given::From What, int64_t Parameter, const std::string& Words) {
  Given Its;
  Its.What = What;
  Its.Parameter = Parameter;
  Its.Words = Words;
  Its.IsExact = true;
  return Its;
}

Call call(const std::string& Callee, std::vector<Given> Arguments) {
  Call Its;
  Its.Callee = Its.Name = Callee;
  Its.Way = {{{"/a.cpp", 7, 1}, "called from '" + Callee + "'s caller here"}};
  Its.Arguments = std::move(Arguments);
  Its.IsCertain = true;
  return Its;
}

Summary summaryOf(std::vector<Callable> Callables, std::vector<Function> Functions) {
  Summary One;
  One.Version = "1";
  One.Source = "/a.cpp";
  One.IsScanned = true;
  One.Callables = std::move(Callables);
  One.Functions = std::move(Functions);
  return One;
}

/// What a callable comes to that gives `write` something, through `pass`, which calls `write` and itself.
std::vector<Joined> joined(const Given& To, Joiner& By) {
  Told Written = finding("graphed-unmarked-write", {0});
  Written.IsOfArguments = true;
  Told Read = finding("graphed-host-item", {0});
  Read.IsOfAll = true;
  const Given Passed = given(Given::From::Parameter, 0, "the argument 'w'");
  By.add(summaryOf({{"own", {}, {call("pass", {To})}}}, {{"write", {Written, Read}, {}}}));
  By.add(summaryOf({}, {{"pass", {}, {call("write", {Passed}), call("pass", {Passed}), call("nowhere", {})}}}));
  return By.join();
}

TEST(Join, NamesWhatTheCallableGives) {
  Joiner By(/*IsProgram=*/false);
  const std::vector<Joined> Found = joined(given(Given::From::Parameter, 0, "the argument 'x'"), By);
  ASSERT_EQ(Found.size(), 2U);
  EXPECT_EQ(Found[0].Its.Message, "'add_' writes to the argument 'x', not to the argument 'vs'");
  EXPECT_TRUE(Found[0].Its.IsCertain);
  EXPECT_EQ(Found[0].Its.Way.size(), 2U);
  EXPECT_EQ(By.missing(), std::set<std::string>{"nowhere"});
}

TEST(Join, SaysNothingOfWhatTheCallMakesOrMayWrite) {
  for (const bool IsInplace : {false, true}) {
    Joiner By(/*IsProgram=*/false);
    Given To = IsInplace ? given(Given::From::Parameter, 0, "the argument 'x'") : Given();
    To.IsInplace = IsInplace;
    const std::vector<Joined> Found = joined(To, By);
    ASSERT_EQ(Found.size(), 1U);
    EXPECT_EQ(Found[0].Its.Check, "graphed-host-item");
  }
}

TEST(Join, SaysNothingOfWhatIsFixed) {
  Joiner By(/*IsProgram=*/false);
  Given To;
  To.IsFixed = true;
  EXPECT_TRUE(joined(To, By).empty());
}

/// A method of `Of` that reads what it is given.
Function overriding(const std::string& Of, std::vector<std::string> Bases) {
  Told Read = finding("graphed-host-item", {0});
  Read.IsOfAll = true;
  return {Of + "::f", {Read}, {}, Of + "::f", {"/b.cpp", 2, 1}, {"Base::f"}, std::move(Bases)};
}

TEST(Join, ComesToTheOverridesBelowAClass) {
  Joiner By(/*IsProgram=*/false);
  Call Of = call("Base::f", {given(Given::From::Parameter, 0, "the argument 'x'")});
  Of.Below = {"Left"};
  Of.Followed = {"Seen::f"};
  By.add(summaryOf({{"own", {}, {Of}}}, {overriding("Left2", {"Left", "Base"}), overriding("Right", {"Base"})}));
  By.add(summaryOf({}, {overriding("Seen", {"Left", "Base"}), overriding("Left1", {"Left", "Base"}), overriding("Left2", {"Left"})}));
  const std::vector<Joined> Found = By.join();
  ASSERT_EQ(Found.size(), 2U);
  EXPECT_EQ(Found[0].Its.Way[0].Message, "'Left1::f' overrides 'Base::f'");
  EXPECT_EQ(Found[0].Its.Way[1].Message, "called from 'Base::f's caller here");
  EXPECT_EQ(Found[1].Its.Way[0].Message, "'Left2::f' overrides 'Base::f'");
  EXPECT_EQ(By.missing(), std::set<std::string>{"Base::f"});  // there may be more
}

/// Each of its functions reads what it is given, and gives it to the next one, in another source.
TEST(Join, FollowsLongChains) {
  constexpr size_t Most = 3000;
  Told Read = finding("graphed-host-item", {0});
  Read.IsOfAll = true;
  const Given Passed = given(Given::From::Parameter, 0, "the argument 'w'");
  std::vector<Function> Functions;
  for (size_t I = 0; I < Most; ++I) {
    Functions.push_back({"f" + std::to_string(I), {Read}, {call("f" + std::to_string(I + 1), {Passed})}});
  }
  Joiner By(/*IsProgram=*/false);
  By.add(summaryOf({{"own", {}, {call("f0", {given(Given::From::Parameter, 0, "the argument 'x'")})}}}, std::move(Functions)));
  const std::vector<Joined> Found = By.join();
  ASSERT_EQ(Found.size(), Most);
  EXPECT_EQ(Found[23].Its.Way.size(), 24U);
  EXPECT_EQ(Found.back().Its.Way.size(), 25U);  // both ends
  EXPECT_EQ(Found.back().Its.Way.front().Message, "called from 'f2999's caller here");
  EXPECT_EQ(Found.back().Its.Way[12].Message, "2976 more calls, from here on");
  EXPECT_EQ(Found.back().Its.Way.back().Message, "called from 'f0's caller here");
}

/// A callable that reads the member `app::Part::gain`, in its own body.
std::vector<Joined> joinedWith(std::vector<Change> Changes, bool IsProgram, bool IsOpen) {
  Told Read = finding("graphed-frozen", {});
  Read.Unchanged = "app::Part::gain";
  Read.IsOpen = IsOpen;
  Joiner By(IsProgram);
  By.add(summaryOf({{"own", {}, {}, {}, {Read}}}, {}));
  Summary Other = summaryOf({}, {});
  Other.Changes = std::move(Changes);
  By.add(std::move(Other));
  std::vector<Joined> Found = By.join();
  EXPECT_EQ(By.unchanged().empty(), !Found.empty() && !Found[0].Its.Notes.empty());
  return Found;
}

TEST(Join, SaysNothingOfWhatNoSourceChanges) {
  const Change OfAnother{"app::Other::gain", {"/b.cpp", 3, 4}};
  EXPECT_TRUE(joinedWith({OfAnother}, /*IsProgram=*/true, /*IsOpen=*/true).empty());
  EXPECT_TRUE(joinedWith({OfAnother}, /*IsProgram=*/false, /*IsOpen=*/false).empty());
  EXPECT_EQ(joinedWith({OfAnother}, /*IsProgram=*/false, /*IsOpen=*/true).size(), 1U);
}

TEST(Join, ShowsWhereASourceChangesWhatIsRead) {
  for (const char* Of : {"app::Part::gain", "*::gain"}) {
    const Change Its{Of, {"/b.cpp", 3, 4}};
    const std::vector<Joined> Found = joinedWith({Its}, /*IsProgram=*/true, /*IsOpen=*/false);
    ASSERT_EQ(Found.size(), 1U) << Of;
    ASSERT_EQ(Found[0].Its.Notes.size(), 1U);
    EXPECT_EQ(Found[0].Its.Notes[0].Where, Its.Where);
  }
}

TEST(Join, SaysNothingOfAChangeThatTheAnnotationAllows) {
  Joiner By(/*IsProgram=*/true);
  Told Read = finding("graphed-frozen", {});
  Read.Unchanged = "app::Part::gain";
  Summary One = summaryOf({{"own", {"graphed-frozen"}, {}, {}, {Read}}}, {});
  One.Changes = {{"app::Part::gain", {"/b.cpp", 3, 4}}};
  By.add(std::move(One));
  EXPECT_TRUE(By.join().empty());
}

TEST(Join, SummariesAreReadAsTheyWereWritten) {
  Call Of = call("f", {given(Given::From::Object, 0, "the member 's'")});
  Of.IsSettled = true;
  Told Its = finding("graphed-rebound", {ObjectParameter, 1});
  Its.IsOfKept = true;
  Its.Where.File = "/a.cpp";  // the source itself
  Its.Notes = {{{"/c.h", 1, 2}, "a note of \"text\""}};
  Of.Below = {"Base"};
  Of.Followed = {"_Z1h"};
  Its.Unchanged = "app::Part::gain";
  Its.IsOpen = true;
  Summary One = summaryOf({{"own", {"graphed-sync"}, {Of}, {}, {Its}}}, {{"_Z1g", {Its}, {Of}, "g", {"/c.h", 4, 5}, {"_Z1f"}, {"Base"}}});
  One.Changes = {{"app::Part::gain", {"/c.h", 7, 8}}};
  llvm::Expected<Summary> Read = fromJson(toJson(One));
  ASSERT_TRUE(static_cast<bool>(Read));
  EXPECT_EQ(toJson(*Read), toJson(One));
  EXPECT_EQ(Read->Functions[0].Findings[0].Where, Its.Where);
  EXPECT_EQ(Read->Functions[0].Findings[0].About, Its.About);
  EXPECT_EQ(Read->Callables[0].Calls[0].Arguments[0].What, Given::From::Object);
  EXPECT_EQ(Read->Callables[0].Findings[0].Unchanged, Its.Unchanged);
  EXPECT_EQ(Read->Changes[0].Where, One.Changes[0].Where);
}

TEST(Join, OtherTextIsRefused) {
  for (const char* Text : {"", "[]", "{}", R"({"graphgen": 1})", R"({"graphgen": "1", "functions": {}})",
                           R"({"graphgen": "1", "functions": [{"findings": [{"about": ["x"]}]}]})"}) {
    llvm::Expected<Summary> Read = fromJson(Text);
    EXPECT_FALSE(static_cast<bool>(Read)) << Text;
    consumeError(Read.takeError());
  }
}

}  // namespace
}  // namespace graphgen::check::join
