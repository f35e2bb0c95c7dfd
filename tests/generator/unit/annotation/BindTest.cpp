// SPDX-License-Identifier: Apache-2.0
//
// Declarations and annotations as one tree.
#include "annotation/Bind.h"

#include "MarkedText.h"
#include "annotation/Printer.h"

namespace graphgen::annotation {
namespace {

Type type(TypeKind Kind, std::vector<Member> Members = {}) {
  Type Result;
  Result.Kind = Kind;
  Result.Members = std::move(Members);
  return Result;
}

Type tensor() { return type(TypeKind::Tensor); }
Type listOf(Type Element) { return type(TypeKind::Vector, {{"", std::move(Element)}}); }
Type pairOf(Type First, Type Second) { return type(TypeKind::Struct, {{"a", std::move(First)}, {"b", std::move(Second)}}); }

Callable bound(const std::string& Text, Type X, const Constants& Known = {}) {
  Declaration Declared;
  Declared.Parameters.push_back({"x", std::move(X), std::nullopt});
  std::vector<Diagnostic> Errors;
  std::optional<Callable> Result = bindAnnotation(std::move(Declared), parsed(Text), Known, Errors);
  EXPECT_TRUE(Result) << Errors.front().Message;
  return std::move(Result).value_or(Callable());
}

Bound argument(const std::string& Text, Type X) { return bound(Text, std::move(X)).Arguments.at(0); }

TEST(Bind, ResolvesNamesButThoseOfVariables) {
  const Callable Its = bound("x: f32[2 * k, B * k] * (k + 1); B in {k, 1}, slots = k - 1", listOf(tensor()), {{"k", 3}});
  const Bound& List = Its.Arguments.at(0);
  EXPECT_EQ(countOf(List), 4);
  EXPECT_EQ(List.Parts.at(0).Path, "x[0]");
  EXPECT_EQ(print(List.Parts.at(0).Said->Dims.at(0)), "6");
  EXPECT_EQ(print(List.Parts.at(0).Said->Dims.at(1)), "B * 3");
  EXPECT_FALSE(List.Parts.at(0).Said->Repeat);
  EXPECT_EQ(shapeAt(*List.Parts.at(0).Said, combinations(Its.Variables).at(1)), (std::vector<int64_t>{6, 9}));
  EXPECT_EQ(Its.Options.at(0).Number, 2);
  EXPECT_EQ(Its.End, 30u);
}

TEST(Bind, KeepsThePlacesOfWhatItResolves) {
  const Bound List = argument("x: f32[2] * (1 + 2)", listOf(tensor()));
  EXPECT_EQ(List.Said->Repeat->Range.Begin, 13u);
  EXPECT_EQ(List.Said->Repeat->Range.End, 18u);
}

TEST(Bind, TakesElementsOneByOne) {
  const Bound List = argument("x: {f32[2], i64[3] * 4}", listOf(tensor()));
  EXPECT_EQ(countOf(List), 2);
  EXPECT_EQ(List.Parts.at(1).Path, "x[1]");
  EXPECT_EQ(List.Parts.at(1).Said->Type, DType::I64);
  EXPECT_TRUE(List.Parts.at(1).Said->Repeat);
  EXPECT_EQ(countOf(argument("x: {f32[2]}", listOf(tensor()))), 1);
  EXPECT_EQ(countOf(argument("x: {f32[2] * 3}", listOf(tensor()))), 3);
  EXPECT_EQ(countOf(argument("x: f32[2]", listOf(tensor()))), std::nullopt);
}

TEST(Bind, CountsByVariables) {
  const Callable Its = bound("x: f32[2] * (k * N); N in {0, 2}", listOf(tensor()), {{"k", 3}});
  EXPECT_EQ(countOf(Its.Arguments.at(0)), std::nullopt);
  EXPECT_EQ(countOf(Its.Arguments.at(0), {{"N", 2}}), 6);
  EXPECT_TRUE(Its.Variables.at(0).IsCount);
}

TEST(Bind, OrdersMembersAsTheyAreDeclaredAndKeysAsTheySort) {
  const Bound Struct = argument("x: {b: i64[2], a: f32[3]}", pairOf(tensor(), tensor()));
  EXPECT_EQ(Struct.Parts.at(0).Path, "x.a");
  EXPECT_EQ(Struct.Parts.at(1).Said->Type, DType::I64);
  const Bound Map = argument("x: {b: i64[2], a: f32[3]}", type(TypeKind::Map, {{"", tensor()}}));
  EXPECT_EQ(Map.Parts.at(0).Name, "a");
  EXPECT_EQ(Map.Parts.at(1).Path, "x.b");
}

TEST(Bind, LooksThroughTheBracesOfAListInAList) {
  const Bound Outer = argument("x: {f32[2] * 3} * 4", listOf(listOf(tensor())));
  EXPECT_EQ(countOf(Outer), 4);
  EXPECT_EQ(countOf(Outer.Parts.at(0)), 3);
  EXPECT_EQ(Outer.Parts.at(0).Parts.at(0).Path, "x[0][0]");
}

TEST(Bind, SaysOfAnOptionalWhatItSaysOfItsValue) {
  const Bound Optional = argument("x: f32[2] grad", type(TypeKind::Optional, {{"", tensor()}}));
  EXPECT_EQ(Optional.Parts.at(0).Path, "x");
  EXPECT_TRUE(anyHasFlag(Optional, Flag::Grad));
  EXPECT_FALSE(anyHasFlag(Optional, Flag::Static));
}

TEST(Bind, KeepsWhatDoesNotFit) {
  const Callable Its = bound("y: f32[2]", tensor());
  EXPECT_FALSE(Its.Arguments.at(0).Said);
  EXPECT_EQ(Its.Unknown.at(0).Name, "y");
  const Bound Misspelt = argument("x: {a: f32[2], c: f32[3]}", pairOf(tensor(), tensor()));
  EXPECT_TRUE(Misspelt.Parts.at(0).Said);
  EXPECT_FALSE(Misspelt.Parts.at(1).Said);
  EXPECT_EQ(Misspelt.Said->Fields.at(0).Name, "c");
  const Bound Unnamed = argument("x: {f32[2], f32[3]}", pairOf(tensor(), tensor()));
  EXPECT_FALSE(Unnamed.Parts.at(0).Said);
  EXPECT_EQ(Unnamed.Said->Fields.size(), 2u);
  const Bound Short = argument("x: {f32[2]}", type(TypeKind::Tuple, {{"", tensor()}, {"", tensor()}}));
  EXPECT_FALSE(Short.Parts.at(0).Said);
  EXPECT_EQ(argument("x: key", type(TypeKind::Map, {{"", tensor()}})).Parts.size(), 1u);
}

TEST(Bind, GivesNoTreeWithoutValues) {
  std::vector<Diagnostic> Errors;
  EXPECT_FALSE(bindAnnotation({}, parsed("x: f32[k], y: f32[-1], z: f32[B]; B in {1 / 0}"), {}, Errors));
  ASSERT_EQ(Errors.size(), 3u);
  EXPECT_EQ(Errors[0].Message, "unknown name 'k'");
}

}  // namespace
}  // namespace graphgen::annotation
