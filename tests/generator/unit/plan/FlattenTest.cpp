// SPDX-License-Identifier: Apache-2.0
//
// Aggregates as rows of tensors and lists, in the order of their types.
#include "Callables.h"

using namespace graphgen;
using namespace graphgen::plan_tests;

namespace {

using annotation::Member;

annotation::Type structure(std::vector<Member> Members) { return type(TypeKind::Struct, std::move(Members)); }

annotation::Type layer() { return structure({{"weight", type(TypeKind::Tensor)}, {"bias", type(TypeKind::Tensor)}}); }

plan::Callable planned(const std::string& AnnotationText, annotation::Type Type) {
  return planOf({function("f", AnnotationText, {parameter("b", std::move(Type))})}).Callables.at(0);
}

std::vector<std::string> tensorNames(const plan::Callable& Callable) {
  std::vector<std::string> Names;
  for (const plan::Tensor& Each : Callable.SampleSets[0].Tensors) {
    Names.push_back(Each.Name);
  }
  return Names;
}

std::vector<std::string> lists(const plan::Callable& Callable) {
  std::vector<std::string> Texts;
  for (const plan::List& Each : Callable.SampleSets[0].Lists) {
    Texts.push_back(Each.Name + " " + std::to_string(Each.Count));
  }
  return Texts;
}

using Texts = std::vector<std::string>;

TEST(Flatten, TakesAStructsMembersAsTheyAreDeclared) {
  const plan::Callable Callable = planned("b: {bias: f32[3] grad, weight: i64[2]}", layer());
  EXPECT_EQ(tensorNames(Callable), (Texts{"b.weight", "b.bias"}));
  EXPECT_EQ(Callable.SampleSets[0].Tensors[0].Type, annotation::DType::I64);
  EXPECT_EQ(Callable.SampleSets[0].Tensors[1].Shape, (std::vector<std::string>{"3"}));
  EXPECT_EQ(Callable.SampleSets[0].Tensors[1].Stem, "b_bias");
  EXPECT_EQ(Callable.Parameters[0].TensorCount, 2u);
  EXPECT_FALSE(plan::isFlat(Callable.Parameters[0]));
}

TEST(Flatten, TakesAMapsKeysAsTheySort) {
  const plan::Callable Callable = planned("b: {y: f32[2], x: f32[3], ab: f32[4]}", type(TypeKind::Map));
  EXPECT_EQ(tensorNames(Callable), (Texts{"b.ab", "b.x", "b.y"}));
  EXPECT_EQ(lists(Callable), (Texts{"b 3"}));
}

TEST(Flatten, TakesATuplesMembersByPosition) {
  const annotation::Type Tuple = type(TypeKind::Tuple, {{"", type(TypeKind::Tensor)}, {"", type(TypeKind::Bool)}, {"", layer()}});
  const plan::Callable Callable = planned("b: {f32[2], const, {weight: f32[], bias: f32[]}}", Tuple);
  EXPECT_EQ(tensorNames(Callable), (Texts{"b[0]", "b[2].weight", "b[2].bias"}));
  EXPECT_EQ(Callable.SampleSets[0].Tensors[1].Stem, "b_2_weight");
  EXPECT_EQ(Callable.Parameters[0].Parts[1].Scalar, annotation::ScalarKind::Const);
  EXPECT_EQ(lists(Callable), Texts());
}

TEST(Flatten, RepeatsListsAndTheListsInThem) {
  const annotation::Type Inner = type(TypeKind::List);
  const plan::Callable Callable = planned("b: {f32[7] * 3} * 2", type(TypeKind::Vector, {{"", Inner}}));
  EXPECT_EQ(tensorNames(Callable), (Texts{"b[0][0]", "b[0][1]", "b[0][2]", "b[1][0]", "b[1][1]", "b[1][2]"}));
  EXPECT_EQ(lists(Callable), (Texts{"b 2", "b[0] 3", "b[1] 3"}));
  EXPECT_EQ(Callable.SampleSets[0].Tensors[5].Stem, "b");
  EXPECT_EQ(Callable.Parameters[0].Parts.size(), 1u);
}

TEST(Flatten, GivesAnArrayNoRowOfItsOwn) {
  const plan::Callable Callable = planned("b: f32[7] * 2", type(TypeKind::Array));
  EXPECT_EQ(tensorNames(Callable), (Texts{"b[0]", "b[1]"}));
  EXPECT_EQ(lists(Callable), Texts());
  EXPECT_EQ(Callable.Parameters[0].Parts.size(), 2u);
}

TEST(Flatten, CountsAnOptionalAggregateAsAListOfOne) {
  const plan::Callable Callable = planned("b: {weight: f32[2], bias: f32[2]}", type(TypeKind::Optional, {{"", layer()}}));
  EXPECT_EQ(tensorNames(Callable), (Texts{"b.weight", "b.bias"}));
  EXPECT_EQ(lists(Callable), (Texts{"b 1"}));
  EXPECT_EQ(lists(planned("b: f32[2]", type(TypeKind::Optional))), Texts());
}

TEST(Flatten, TellsShapesOfTheSameStemApart) {
  const auto Planned = planOf({function("f", "b: {x: f32[2]}, b_x: f32[3], c: {x: f32[4]}, c_x: f32[4]",
                                        {parameter("b", structure({{"x", type(TypeKind::Tensor)}})), parameter("b_x"),
                                         parameter("c", structure({{"x", type(TypeKind::Tensor)}})), parameter("c_x")})});
  const std::vector<plan::Tensor>& Tensors = Planned.Callables[0].SampleSets[0].Tensors;
  EXPECT_EQ(Tensors[0].Stem, "b_x");
  EXPECT_EQ(Tensors[1].Stem, "b_x_");
  EXPECT_EQ(Tensors[2].Stem, Tensors[3].Stem);
}

TEST(Flatten, NumbersLiveScalarsInTheOrderOfTheTypes) {
  const annotation::Type Struct =
      structure({{"lr", type(TypeKind::LiveScalar)}, {"x", type(TypeKind::Tensor)}, {"eps", type(TypeKind::LiveScalar)}});
  const plan::Callable Callable = planned("b: {eps: live, x: f32[2], lr: live}", Struct);
  EXPECT_EQ(Callable.Parameters[0].Parts[0].LiveIndex, 0u);
  EXPECT_EQ(Callable.Parameters[0].Parts[2].LiveIndex, 1u);
}

TEST(Flatten, KeepsVariablesAndPaddingOfMembers) {
  const plan::Callable Callable = planned("b: {weight: f32[2], bias: f32[3, B]}; B in {1, 8} pad", layer());
  EXPECT_EQ(Callable.SampleSets[0].Tensors[1].Shape, (Texts{"3", "B"}));
  ASSERT_EQ(Callable.SampleSets[0].PaddedDims.size(), 1u);
  EXPECT_EQ(Callable.SampleSets[0].PaddedDims[0].Tensor, 1u);
  EXPECT_EQ(Callable.SampleSets[0].PaddedDims[0].Dim, 1u);
}

TEST(Flatten, RefusesAnnotationsWithOtherKeysOrScalars) {
  const auto Map = parameter("b", TypeKind::Map);
  EXPECT_EQ(problemsOf({function("f", "b: {x: f32[2]}", {Map}), function("f", "b: {y: f32[2]}", {Map})}).at(0).What.Message,
            "members other than in the first annotation are not supported yet");
  const auto Struct = parameter("b", structure({{"x", type(TypeKind::Tensor)}, {"on", type(TypeKind::Bool)}}));
  EXPECT_EQ(problemsOf({function("f", "b: {x: f32[2], on: key}", {Struct}), function("f", "b: {on: const, x: f32[4]}", {Struct})})
                .at(0)
                .What.Message,
            "'b.on' is 'const' here, but 'key' in the first annotation");
}

}  // namespace
