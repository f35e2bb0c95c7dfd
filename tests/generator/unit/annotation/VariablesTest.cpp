// SPDX-License-Identifier: Apache-2.0
//
// Dimension variables: their values, their errors, and dimensions with what is constant in them computed.
#include "annotation/Variables.h"

#include "MarkedText.h"
#include "annotation/Printer.h"

#include <limits>

namespace graphgen::annotation {
namespace {

const Constants Known = {{"k", 4}, {"least", std::numeric_limits<int64_t>::min()}};

void expectErrors(const std::string& Marked, const std::vector<std::string>& Messages) {
  SCOPED_TRACE(Marked);
  const MarkedText Input = unmark(Marked);
  expectDiagnostics(checkValues(parsed(Input.Text), Known), "graphed-dimension", Input.Ranges, Messages);
}

TEST(Variables, TakeValuesInAnyOrderAndArithmetic) {
  expectErrors("x: f32[B]; B in {8, 1, k * 4}", {});
  expectErrors("x: f32[B, T - 2], y: f32[B] * k; B in {0} pad, T in {2, 3}, warmup = k", {});
  const Annotation Tree = parsed("x: f32[B]; B in {8, 1, k}");
  EXPECT_EQ(variablesOf(Tree, Known)[0].Values, (std::vector<int64_t>{1, 4, 8}));
}

TEST(Variables, VaryTheLastFirst) {
  const std::vector<Constants> Found = combinations(variablesOf(parsed("x: f32[B, T]; B in {2, 1}, T in {30, 20}"), {}));
  const std::vector<Constants> Expected = {{{"B", 1}, {"T", 20}}, {{"B", 1}, {"T", 30}}, {{"B", 2}, {"T", 20}}, {{"B", 2}, {"T", 30}}};
  EXPECT_EQ(Found, Expected);
  EXPECT_EQ(combinations({}, Known), std::vector<Constants>{Known});
}

TEST(Variables, WithValuesThatCannotBeAreErrors) {
  expectErrors("x: f32[B]; B in {1, <-1>}", {"a dimension is at least 0, but '-1' is -1"});
  expectErrors("x: f32[B]; B in {4, 1, <k>, (<2 + 2>)}", {"the value 4 of 'B' is given twice", "the value 4 of 'B' is given twice"});
  expectErrors("x: f32[B]; B in {1 / (<k - 4>)}", {"division by zero in '1 / (k - 4)'"});
}

TEST(Variables, ThatStandInNoDimensionAreErrors) {
  expectErrors("x: f32[2]; <B> in {1}", {"the dimension variable 'B' is in no dimension and no count"});
  expectErrors("x: f32[B]; B in {1} pad, <T> in {2} pad", {"the dimension variable 'T' is in no dimension and no count"});
}

TEST(Variables, StandInCounts) {
  expectErrors("x: f32[B] * N, y: {f32[2] * (k * N)} * B; B in {1, 2}, N in {0, 3}", {});
  expectErrors("x: f32[2] * (<N - 2>); N in {2, 1}", {"the count of a list is at least 0, but 'N - 2' is -1 where N is 1"});
  expectErrors("x: f32[2] * (<k * N>); N in {1, 1025}", {"the count of a list is at most 4096, but 'k * N' is 4100 where N is 1025"});
  expectErrors("x: f32[N] * <N>; N in {1, 2} pad", {"lists are not padded, but here the count of one is 'N'"});
  expectErrors("<x>: {f32[2] * 4096} * N; N in {1, 16}",
               {"an annotation describes at most 65536 tensors and values, but with 'x' there are more"});
}

TEST(Variables, StandInDimensionsAndCountsAlone) {
  const std::string End = " is the same for all graphs: it cannot depend on the dimension variable 'B'";
  expectErrors("x: f32[B]; B in {1}, warmup = 2 * <B>, slots = <B>", {"the option 'warmup'" + End, "the option 'slots'" + End});
  expectErrors("x: f32[B, T]; B in {1}, T in {2, <B> + 1}", {"a dimension variable's value" + End});
}

TEST(Variables, ThatArePaddedStandAloneInTheirDimension) {
  const std::string Begin = "a padded dimension variable must be alone in its dimension, but here is ";
  expectErrors("x: f32[B, <2 * B>, 3]; B in {1} pad", {Begin + "'2 * B'"});
  expectErrors("x: f32[T, <T + B>, <-B>]; B in {1} pad repeat, T in {2}", {Begin + "'T + B'", Begin + "'-B'"});
}

TEST(Variables, AskForABoundedNumberOfGraphs) {
  std::string Values = "0";
  for (int Value = 1; Value < 32; ++Value) {
    Values += ", " + std::to_string(Value);
  }
  expectErrors("x: f32[A, B]; A in {" + Values + "}, B in {" + Values + "}", {});
  expectErrors("x: f32[A, B, C]; A in {" + Values + "}, B in {" + Values + "}, <C> in {1, 2}",
               {"one annotation asks for at most 1024 graphs, but with 'C' there are 2048 combinations of values"});
}

TEST(Variables, AreJudgedAtEveryValue) {
  expectErrors("x: f32[<B - 4>, B]; B in {8, 1}", {"a dimension is at least 0, but 'B - 4' is -3 where B is 1"});
  expectErrors("x: f32[8 / (<B - T>)]; B in {3}, T in {0, 3}", {"division by zero in '8 / (B - T)' where B is 3 and T is 3"});
  expectErrors("x: f64[<B, B, 0>]; B in {1, 4'000'000'000}", {"the tensor's size in bytes overflows 64 bits where B is 4000000000"});
}

TEST(Variables, ThatAreOpenHaveALimit) {
  expectErrors("x: f32[B, 2 * B - k]; B in any 4", {});
  expectErrors("x: f32[B]; B in any k * 2", {});
  expectErrors("x: f32[B]; B in any <0>", {"the number of values of 'B' is at least 1, but 0 is given"});
  expectErrors("x: f32[B]; B in any <1025>", {"the number of values of 'B' is at most 1024, but 1025 is given"});
  expectErrors("x: f32[B, T]; B in any <T>, T in {2}",
               {"a dimension variable's value is the same for all graphs: it cannot depend on the dimension variable 'T'"});
  expectErrors("x: f32[B, T]; B in any 32, <T> in any 33",
               {"one annotation asks for at most 1024 graphs, but with 'T' there are 1056 combinations of values"});
  const std::vector<Variable> Found = variablesOf(parsed("x: f32[B, T]; B in any k, T in {2}"), Known);
  EXPECT_EQ(Found[0].AtMost, 4);
  EXPECT_EQ(Found[1].AtMost, std::nullopt);
  EXPECT_EQ(combinations(Found), (std::vector<Constants>{{{"T", 2}}}));
  EXPECT_EQ(placeOf(Found, {{"T", 2}}), " where T is 2");
}

TEST(Variables, ThatAreOpenStandAloneWhereEachCallHasThem) {
  const std::string Message =
      "a call gives the value of 'B' by a dimension that is 'B' alone, of a tensor that is not 'optional', but there is none";
  expectErrors("x: f32[2 * B]; <B> in any 4", {Message});
  expectErrors("x: f32[B] optional; <B> in any 4", {Message});
  expectErrors("x: f32[B] optional, y: {f32[B + 1], f32[B] * 2}; B in any 4", {});
}

TEST(Variables, ThatAreOpenCountNoLists) {
  expectErrors("x: f32[B], hs: f32[2] * (<B + 1>); B in any 4",
               {"the count of a list has declared values, but those of 'any' are not known before the calls, and here it is 'B + 1'"});
  expectErrors("hs: f32[B] * N, x: f32[B]; B in any 4, N in {0, 2}", {});
  expectErrors("hs: f32[B] * N; <B> in any 4, N in {0, 2}",
               {"a call gives the value of 'B' by a dimension that is 'B' alone, of a tensor that is not 'optional', but there is none"});
}

TEST(Variables, ThatAreOpenAreNotPadded) {
  expectErrors(
      "x: f32[B]; B in any 4 <pad>",
      {"'pad' rounds a size up to the next value of 'B', but those of 'any' are not known before the calls; give them, as in 'B in {1, "
       "8, 64} pad'"});
  expectErrors(
      "x: f32[B, T]; <B> in any 4, T in {8} pad",
      {"the values of 'B' are those of the calls, which no padding can round up, but 'T' is padded; give the values of 'B', or leave out "
       "'pad'"});
}

TEST(Variables, ThatAreOpenAreJudgedInWhatNoCallChanges) {
  expectErrors("x: f32[B, B - 4, 8 / B]; B in any 4", {});
  expectErrors("x: f32[B, B / <0>]; B in any 4", {"division by zero in 'B / 0'"});
  expectErrors("x: f32[B, B + 8 / (<T - 3>)]; B in any 4, T in {2, 3}", {"division by zero in '8 / (T - 3)' where T is 3"});
  expectErrors("x: f64[<B, 4'000'000'000, 4'000'000'000>]; B in any 4", {"the tensor's size in bytes overflows 64 bits"});
}

std::string folded(const std::string& Dim) { return print(fold(parsed("x: f32[" + Dim + "]").Arguments[0].Value.Dims[0], Known)); }

TEST(Fold, ComputesWhatIsConstant) {
  EXPECT_EQ(folded("2 * k + 1"), "9");
  EXPECT_EQ(folded("2 * k * B"), "8 * B");
  EXPECT_EQ(folded("B * (2 - k)"), "B * -2");
  EXPECT_EQ(folded("(B + k * k) % (7 / 2)"), "(B + 16) % 3");
  EXPECT_EQ(folded("B"), "B");
}

TEST(Fold, SpellsWhatCxxCanRead) {
  EXPECT_EQ(folded("--B"), "B");
  EXPECT_EQ(folded("-(-(-B))"), "-B");
  EXPECT_EQ(folded("B - -k"), "B - -4");
  EXPECT_EQ(folded("B - least"), "B - (-9223372036854775807 - 1)");
}

}  // namespace
}  // namespace graphgen::annotation
