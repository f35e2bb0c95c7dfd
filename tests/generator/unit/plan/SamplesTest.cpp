// SPDX-License-Identifier: Apache-2.0
//
// Dimension variables and several annotations of one callable.
#include "Callables.h"

using namespace graphgen;
using namespace graphgen::plan_tests;

namespace {

using Values = std::vector<int64_t>;
using Shape = std::vector<std::string>;

TEST(Samples, KeepTheVariablesInTheirDimensions) {
  const annotation::Callable Declared = function("f", "x: f32[2 * kRows * B, T], y: f32[kRows]; B in {8, 1}, T in {3} pad repeat",
                                                 {parameter("y"), parameter("x")}, {{"kRows", 4}});
  const plan::Samples Samples = planOf({Declared}).Callables.at(0).SampleSets.at(0);
  EXPECT_EQ(Samples.Tensors[0].Shape, Shape{"4"});
  EXPECT_EQ(Samples.Tensors[1].Shape, (Shape{"8 * B", "T"}));
  ASSERT_EQ(Samples.Variables.size(), 2u);
  EXPECT_EQ(Samples.Variables[0].Name, "B");
  EXPECT_EQ(Samples.Variables[0].Values, (Values{1, 8}));
  EXPECT_FALSE(Samples.Variables[0].Pad);
  EXPECT_EQ(Samples.Variables[1].Pad, annotation::PadFill::Repeat);
}

TEST(Samples, CountPaddedVariablesAmongThemselves) {
  const plan::Samples Samples = planOf({function("f", "x: f32[A, 2, B], hs: f32[C, B] * 2; A in {1}, B in {1} pad, C in {2} pad",
                                                 {parameter("x"), parameter("hs", TypeKind::Vector)})})
                                    .Callables.at(0)
                                    .SampleSets.at(0);
  std::vector<std::vector<std::size_t>> Places;
  for (const plan::PaddedDim& Each : Samples.PaddedDims) {
    Places.push_back({Each.Tensor, Each.Dim, Each.Variable});
  }
  EXPECT_EQ(Places, (std::vector<std::vector<std::size_t>>{{0, 2, 0}, {1, 0, 1}, {1, 1, 0}, {2, 0, 1}, {2, 1, 0}}));
}

annotation::Callable annotated(const std::string& Text) {
  return function("f", Text, {parameter("x"), parameter("n", TypeKind::Integer), parameter("hs", TypeKind::Vector)});
}

TEST(Samples, OfEachAnnotationAreThoseOfOneCallable) {
  const auto Planned = planOf({annotated("x: f32[2], n: key, hs: f32[1] * 2; slots = 3"), function("g", "", {}),
                               annotated("x: f64[B] grad, n: key, hs: f32[4] * 2; B in {1, 2}, slots = 2 + 1, strict")});
  ASSERT_EQ(Planned.Callables.size(), 2u);
  const plan::Callable& Callable = Planned.Callables[0];
  ASSERT_EQ(Callable.SampleSets.size(), 2u);
  EXPECT_EQ(Callable.SampleSets[0].Tensors[0].Shape, Shape{"2"});
  EXPECT_EQ(Callable.SampleSets[1].Tensors[0].Shape, Shape{"B"});
  EXPECT_EQ(Callable.SampleSets[1].Tensors[2].Shape, Shape{"4"});
  EXPECT_EQ(Callable.Settings.Slots, 3);
  EXPECT_TRUE(Callable.Settings.Strict);
  EXPECT_EQ(Planned.Callables[1].QualifiedName, "g");
}

void expectContradiction(const std::string& First, const std::string& Second, const char* Id, const std::string& Message,
                         const std::string& Note) {
  SCOPED_TRACE(Second);
  const auto Problems = problemsOf({annotated(First), annotated(Second)});
  ASSERT_EQ(Problems.size(), 1u);
  EXPECT_EQ(Problems[0].CallableIndex, 1u);
  EXPECT_EQ(Problems[0].What.Id, Id);
  EXPECT_EQ(Problems[0].What.Message, Message);
  ASSERT_TRUE(Problems[0].Contradicted);
  EXPECT_EQ(Problems[0].Contradicted->CallableIndex, 0u);
  EXPECT_EQ(Problems[0].Contradicted->Message, Note);
}

TEST(Samples, OfEachAnnotationAgree) {
  const std::string First = "x: f32[2], n: key, hs: f32[1] * 2; warmup = 2";
  expectContradiction(First, "x: f32[3], n: const, hs: f32[1] * 2", "graphed-repeated",
                      "'n' is 'const' here, but 'key' in the first annotation", "'n' is 'key' here");
  expectContradiction(First, "x: f32[3], n: key, hs: f32[1] * 2; warmup = 1", "graphed-repeated",
                      "options hold for all annotations of a callable, but 'warmup' is 1 here and 2 in an earlier one",
                      "'warmup' is 2 here");
  expectContradiction(First, "x : f32[2], n: key, hs: f32[1] * 2; warmup=2", "graphed-repeated", "this annotation of 'f' is given twice",
                      "the first is here");
}

TEST(Samples, OfEachAnnotationMayHaveListsOfTheirOwnLengths) {
  const auto Planned = planOf({annotated("x: f32[2], n: key, hs: f32[1] * 2"), annotated("x: f32[2], n: key, hs: f32[1] * 3")});
  const plan::Callable& Callable = Planned.Callables.at(0);
  ASSERT_EQ(Callable.SampleSets.size(), 2u);
  EXPECT_EQ(Callable.SampleSets[0].Tensors.size(), 3u);
  EXPECT_EQ(Callable.SampleSets[1].Tensors.size(), 4u);
  EXPECT_EQ(Callable.SampleSets[1].Lists.at(0).Count, 3);
  EXPECT_TRUE(plan::hasVaryingLengths(Callable));
  const auto Alike = planOf({annotated("x: f32[2], n: key, hs: f32[1] * 2"), annotated("x: f32[3], n: key, hs: f32[1] * 2")});
  EXPECT_FALSE(plan::hasVaryingLengths(Alike.Callables.at(0)));
}

}  // namespace
