// SPDX-License-Identifier: Apache-2.0
//
// Values of dimensions, counts and options; names and where they are used; everything that has no value.
#include "annotation/Evaluate.h"

#include "MarkedText.h"

#include <limits>

namespace graphgen::annotation {
namespace {

constexpr int64_t Max = std::numeric_limits<int64_t>::max();
constexpr int64_t Min = std::numeric_limits<int64_t>::min();

const Constants Known = {{"two", 2}, {"ten", 10}, {"zero", 0}, {"minus", -3}, {"app::k", 7}, {"max", Max}, {"min", Min}};

Expr dim(const std::string& Text) { return parsed("x: f32[" + Text + "]").Arguments.at(0).Value.Dims.at(0); }

TEST(Evaluate, HasCppsArithmetic) {
  const std::vector<std::pair<const char*, int64_t>> Cases = {
      {"64", 64},     {"app::k", 7},    {"two + ten * 3", 32}, {"(two + ten) * 3", 36}, {"ten - two - 3", 5},   {"ten - (two - 3)", 11},
      {"7 / two", 3}, {"-7 / two", -3}, {"7 % -4", 3},         {"-7 % 4", -3},          {"100 / ten / two", 5}, {"ten % 4 * 5", 10},
      {"--ten", 10},  {"-minus", 3},    {"max - 1 + 1", Max},  {"-max - 1", Min},       {"min / 1", Min},       {"0 * max", 0},
  };
  for (const auto& [Text, Value] : Cases) {
    const Evaluated<int64_t> Result = evaluate(dim(Text), Known);
    ASSERT_TRUE(std::holds_alternative<int64_t>(Result)) << Text << ": " << std::get<Diagnostic>(Result).Message;
    EXPECT_EQ(std::get<int64_t>(Result), Value) << Text;
  }
}

/// Marks and messages as for syntax errors, of all values of the annotation.
void expectWrong(const std::string& Marked, const std::vector<std::string>& Messages) {
  SCOPED_TRACE(Marked);
  const MarkedText Input = unmark(Marked);
  expectDiagnostics(checkValues(parsed(Input.Text), Known), "graphed-dimension", Input.Ranges, Messages);
}

TEST(Evaluate, ReportsWhatHasNoValue) {
  expectWrong("x: f32[<none>]", {"unknown name 'none'"});
  expectWrong("x: f32[2 + <a::b> * 3]", {"unknown name 'a::b'"});
  expectWrong("x: f32[<max + 1>]", {"'max + 1' overflows 64 bits"});
  expectWrong("x: f32[<min - 1> + 5]", {"'min - 1' overflows 64 bits"});
  expectWrong("x: f32[1 + <max * 2>]", {"'max * 2' overflows 64 bits"});
  expectWrong("x: f32[<-min>]", {"'-min' overflows 64 bits"});
  expectWrong("x: f32[<min / -1>]", {"'min / -1' overflows 64 bits"});
  expectWrong("x: f32[<min % -1>]", {"'min % -1' overflows 64 bits"});
  expectWrong("x: f32[ten / <zero>]", {"division by zero in 'ten / zero'"});
  expectWrong("x: f32[ten % (<two - 2>)]", {"division by zero in 'ten % (two - 2)'"});
}

TEST(Evaluate, ReportsDimensionsBelowZero) {
  expectWrong("x: f32[0, zero, two]", {});
  expectWrong("x: f32[<-1>]", {"a dimension is at least 0, but '-1' is -1; a size that varies is a dimension variable, as B in 'f32[B, 4]; "
                               "B in {1, 8, 64}', or in 'B in any 4'"});
  expectWrong("x: f32[4, <minus>]", {"a dimension is at least 0, but 'minus' is -3"});
  expectWrong("x: f32[<two - ten>, <none>]", {"a dimension is at least 0, but 'two - ten' is -8", "unknown name 'none'"});
}

TEST(Evaluate, ReportsCountsOutOfBounds) {
  expectWrong("x: f32[2] * 0, y: f32[2] * 4096", {});
  expectWrong("x: f32[2] * <minus>", {"the count of a list is at least 0, but 'minus' is -3"});
  expectWrong("x: f32[2] * (<two - 3>)", {"the count of a list is at least 0, but 'two - 3' is -1"});
  expectWrong("x: f32[2] * <4097>", {"the count of a list is at most 4096, but 4097 is given"});
  expectWrong("x: f32[2] * <max>", {"the count of a list is at most 4096, but 'max' is 9223372036854775807"});
}

TEST(Evaluate, ReportsOptionsOutOfBounds) {
  expectWrong("; warmup = 0, slots = 1, order = 2", {});
  expectWrong("; warmup = 2147483647", {});
  expectWrong("; warmup = <minus>", {"'warmup' is at least 0, but 'minus' is -3"});
  expectWrong("; warmup = <2147483648>", {"'warmup' is at most 2147483647, but 2147483648 is given"});
  expectWrong("; slots = <0>", {"'slots' is at least 1, but 0 is given"});
  expectWrong("; order = <zero>, strict", {"'order' is at least 1, but 'zero' is 0"});
}

TEST(Evaluate, ReportsTensorsThatNoMemoryHolds) {
  // 2^60 elements: 64 bits hold their size for 4 bytes each, but not for 8.
  expectWrong("x: f32[0x1000000000000000], y: f64[<0x1000000000000000>]", {"the tensor's size in bytes overflows 64 bits"});
  expectWrong("x: u8[max]", {});
  expectWrong("x: u8[<max, 2>]", {"the tensor's size in bytes overflows 64 bits"});
  expectWrong("x: u8[<0, max, 2>]", {"the tensor's size in bytes overflows 64 bits"});
}

TEST(Evaluate, ReportsMoreThanSixtyFourDimensions) {
  const auto Shape = [](int Dims) {
    std::string Text;
    for (int I = 1; I < Dims; ++I) {
      Text += ", 1";
    }
    return "x: f32[1" + Text;
  };
  expectWrong(Shape(64) + "]", {});
  expectWrong(Shape(64) + ", <1>]", {"a tensor has at most 64 dimensions, but 65 are given"});
}

TEST(Evaluate, TakesNoMoreThanTheMostTensors) {
  EXPECT_TRUE(checkValues(parsed("x: {{f32[2] * 4, key * 12} * 1024} * 4"), Known).empty());
  expectWrong("w: f32[2], <x>: {{f32[2] * 4, key * 12} * 1024} * 4, y: key",
              {"an annotation describes at most 65536 tensors and values, but with 'x' there are more"});
  expectWrong("<x>: {{{{f32[2] * 4096} * 4096} * 4096} * 4096} * 4096",
              {"an annotation describes at most 65536 tensors and values, but with 'x' there are more"});
}

TEST(Evaluate, GivesShapesCountsAndOptions) {
  const Annotation Tree = parsed("x: f32[two, ten * 2, 0] * ten; warmup = two");
  EXPECT_EQ(std::get<std::vector<int64_t>>(evaluateShape(Tree.Arguments[0].Value, Known)), (std::vector<int64_t>{2, 20, 0}));
  EXPECT_EQ(std::get<int64_t>(evaluateCount(*Tree.Arguments[0].Value.Repeat, Known)), 10);
  EXPECT_EQ(std::get<int64_t>(evaluateOption(Tree.Options[0], Known)), 2);
  EXPECT_EQ(std::get<std::vector<int64_t>>(evaluateShape(parsed("x: i8[]").Arguments[0].Value, Known)), std::vector<int64_t>());
}

TEST(Names, AreGivenOnceWithEveryPlace) {
  const MarkedText Input = unmark("x: f32[<b> + <a>, <b>] * <n>, y: {f32[-(<a>)]}; warmup = <app::w>, V in {<b>}, slots = V");
  const std::vector<std::pair<const char*, std::vector<size_t>>> Expected = {{"b", {0, 2, 6}}, {"a", {1, 4}}, {"n", {3}}, {"app::w", {5}}};
  std::vector<NameUse> Found = names(parsed(Input.Text));
  ASSERT_EQ(Found.size(), Expected.size());
  for (size_t I = 0; I < Found.size(); ++I) {
    EXPECT_EQ(Found[I].Name, Expected[I].first);
    ASSERT_EQ(Found[I].Ranges.size(), Expected[I].second.size());
    for (size_t Use = 0; Use < Found[I].Ranges.size(); ++Use) {
      EXPECT_EQ(Found[I].Ranges[Use].Begin, Input.Ranges[Expected[I].second[Use]].Begin);
      EXPECT_EQ(Found[I].Ranges[Use].End, Input.Ranges[Expected[I].second[Use]].End);
    }
  }
}

TEST(Names, AreNotDimensionVariablesNorWords) {
  EXPECT_TRUE(names(parsed("x: f32[B, 2]; B in {1, 2}, pool = p, outputs = keep")).empty());
  EXPECT_TRUE(names(parsed("k: key")).empty());
}

}  // namespace
}  // namespace graphgen::annotation
