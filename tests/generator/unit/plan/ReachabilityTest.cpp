// SPDX-License-Identifier: Apache-2.0
//
// Annotations, and values of dimension variables, that no call could choose.
#include "Callables.h"

using namespace graphgen;
using namespace graphgen::plan_tests;

namespace {

std::vector<annotation::Callable> annotated(const std::vector<std::string>& Texts, const annotation::Type& X) {
  std::vector<annotation::Callable> Callables;
  for (const std::string& Text : Texts) {
    Callables.push_back(function("f", Text, {parameter("x", X)}));
  }
  return Callables;
}

/// Every annotation serves calls of its own, in this order of theirs.
void expectReachable(const std::vector<std::string>& Texts, const annotation::Type& X = type(TypeKind::Tensor)) {
  SCOPED_TRACE(Texts.back());
  EXPECT_EQ(planOf(annotated(Texts, X)).Callables.at(0).SampleSets.size(), Texts.size());
}

/// The last of the annotations does not.
plan::Problem unreachable(const std::vector<std::string>& Texts, const annotation::Type& X = type(TypeKind::Tensor)) {
  SCOPED_TRACE(Texts.back());
  const std::vector<plan::Problem> Problems = problemsOf(annotated(Texts, X));
  EXPECT_EQ(Problems.size(), 1u);
  EXPECT_EQ(Problems.at(0).CallableIndex, Texts.size() - 1);
  EXPECT_EQ(Problems.at(0).What.Id, "graphed-repeated");
  EXPECT_TRUE(Problems.at(0).Contradicted);
  return Problems.at(0);
}

TEST(Reachability, IsLostByEqualShapes) {
  const plan::Problem Found = unreachable({"x: f32[4]", "x: f32[8]", "x: f32[2 * 4]"});
  EXPECT_EQ(Found.What.Message,
            "no call of 'f' can choose this annotation: the first that matches is taken, and an earlier one has the same shapes");
  EXPECT_EQ(Found.Contradicted->CallableIndex, 1u);
  EXPECT_EQ(Found.Contradicted->Message, "the earlier one is here");
  expectReachable({"x: f32[8]", "x: f64[8]", "x: f32[8, 1]", "x: f32[]", "x: f32[9]"});
}

TEST(Reachability, IsJudgedAtEachValueOfAVariable) {
  const plan::Problem Found = unreachable({"x: f32[T]; T in {4, 8}", "x: f32[B]; B in {1, 8, 16}"});
  EXPECT_EQ(
      Found.What.Message,
      "no call of 'f' can choose this annotation where B is 8: the first that matches is taken, and an earlier one has the same shapes");
  EXPECT_EQ(Found.What.Range.Begin, 20u);  // the 8
  EXPECT_EQ(Found.What.Range.End, 21u);
  EXPECT_EQ(Found.Contradicted->Message, "the earlier one is here, where T is 8");
  expectReachable({"x: f32[T]; T in {4, 8}", "x: f32[B]; B in {1, 16}", "x: f32[B, T]; B in {4, 8}, T in {4, 8}"});
}

TEST(Reachability, IsJudgedWithinAnAnnotation) {
  const plan::Problem Found = unreachable({"x: f32[B * T]; B in {1, 2}, T in {1, 2}"});
  EXPECT_EQ(Found.What.Message.substr(0, 67), "no call of 'f' can choose this annotation where B is 2 and T is 1: ");
  EXPECT_EQ(Found.Contradicted->Message, "the earlier one is here, where B is 1 and T is 2");
  unreachable({"x: f32[B / 2]; B in {2, 3}"});
  expectReachable({"x: f32[B * T, B]; B in {1, 2}, T in {1, 2}"});
}

TEST(Reachability, DependsOnWhatAFlagAsksOfACall) {
  expectReachable({"x: f32[4]", "x: f32[4] grad"});
  expectReachable({"x: f32[4]", "x: f32[4] optional"});
  expectReachable({"x: f32[4] grad inplace", "x: f32[4] grad"});  // a leaf
  expectReachable({"x: f32[1, 2, 3, 4] static", "x: f32[1, 2, 3, 4] static channels_last"});
  unreachable({"x: f32[1, 2, 3, 4]", "x: f32[1, 2, 3, 4] channels_last"});
  unreachable({"x: f32[4] optional", "x: f32[4]"});
  unreachable({"x: f32[4] grad", "x: f32[4] grad inplace"});
  unreachable({"x: f32[4] inplace", "x: f32[4]"});
  unreachable({"x: f32[4] static", "x: f32[4]"});
}

TEST(Reachability, IsGivenByPadding) {
  expectReachable({"x: f32[8]", "x: f32[B]; B in {8} pad"});
  unreachable({"x: f32[B]; B in {8} pad", "x: f32[8]"});
  unreachable({"x: f32[B]; B in {8} pad", "x: f32[T]; T in {8} pad repeat"});
  expectReachable({"x: f32[B, B]; B in {8} pad", "x: f32[T, S]; T in {8} pad, S in {8} pad"});
}

TEST(Reachability, CountsTheElementsOfLists) {
  const annotation::Type List = type(TypeKind::Vector);
  expectReachable({"x: f32[2] * 2", "x: f32[2] * 3", "x: f32[3] * 2"}, List);
  unreachable({"x: f32[2] * 2", "x: f32[2] * (1 + 1)"}, List);
  const annotation::Type Grid = type(TypeKind::Vector, {{"", List}});
  expectReachable({"x: {f32[2] * 3} * 2", "x: {f32[2] * 2} * 3"}, Grid);
}

TEST(Reachability, ReadsAggregatesAsTheTypesOrderThem) {
  const annotation::Type Struct = type(TypeKind::Struct, {{"a", type(TypeKind::Tensor)}, {"b", type(TypeKind::Tensor)}});
  expectReachable({"x: {a: f32[2], b: f32[3]}", "x: {a: f32[3], b: f32[2]}"}, Struct);
  unreachable({"x: {a: f32[2], b: f32[3]}", "x: {b: f32[3], a: f32[2]}"}, Struct);
  const annotation::Type Map = type(TypeKind::Map);
  expectReachable({"x: {a: f32[2], b: f32[3]}", "x: {a: f32[3], b: f32[2]}"}, Map);
  unreachable({"x: {a: f32[2], b: f32[3]}", "x: {b: f32[3], a: f32[2]}"}, Map);
}

TEST(Reachability, IsEachCallablesOwn) {
  EXPECT_EQ(planOf({function("f", "x: f32[2]", {parameter("x")}), function("g", "x: f32[2]", {parameter("x")})}).Callables.size(), 2u);
}

}  // namespace
