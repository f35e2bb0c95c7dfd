// SPDX-License-Identifier: Apache-2.0
//
// From an annotated declaration to the tensors, scalars and options of its plan.
#include "Callables.h"

using namespace graphgen;
using namespace graphgen::plan_tests;

namespace {

TEST(Plan, FlattensTensorsInTheOrderOfTheParameters) {
  const auto Planned = planOf({function("app::f", "w: f32[2] grad, hs: i64[3, 4] * 2, x: f64[]",
                                        {parameter("x"), parameter("hs", TypeKind::Vector), parameter("w")})});
  const plan::Callable& Callable = Planned.Callables.at(0);
  const std::vector<plan::Tensor>& Tensors = Callable.SampleSets.at(0).Tensors;
  ASSERT_EQ(Tensors.size(), 4u);
  EXPECT_EQ(Tensors[0].Name, "x");
  EXPECT_EQ(Tensors[0].Type, annotation::DType::F64);
  EXPECT_TRUE(Tensors[0].Shape.empty());
  EXPECT_EQ(Tensors[1].Name, "hs[0]");
  EXPECT_EQ(Tensors[2].Name, "hs[1]");
  EXPECT_EQ(Tensors[2].Shape, (std::vector<std::string>{"3", "4"}));
  EXPECT_EQ(Tensors[3].Flags, std::set{annotation::Flag::Grad});
  ASSERT_EQ(Callable.Parameters.size(), 3u);
  EXPECT_EQ(Callable.Parameters[1].FirstTensor, 1u);
  EXPECT_EQ(Callable.Parameters[1].TensorCount, 2u);
  EXPECT_EQ(Callable.Parameters[2].FirstTensor, 3u);
}

TEST(Plan, ListOfOneIsStillAList) {
  const auto Planned = planOf({function("f", "hs: f32[2] * 1", {parameter("hs", TypeKind::ArrayRef)})});
  EXPECT_EQ(Planned.Callables[0].SampleSets[0].Tensors.at(0).Name, "hs[0]");
}

TEST(Plan, EvaluatesDimensionsInTheDeclarationsScope) {
  const auto Planned = planOf(
      {function("f", "x: f32[2 * kRows, (kRows - 1) / 2] * kCount", {parameter("x", TypeKind::Vector)}, {{"kRows", 9}, {"kCount", 3}})});
  ASSERT_EQ(Planned.Callables[0].SampleSets[0].Tensors.size(), 3u);
  EXPECT_EQ(Planned.Callables[0].SampleSets[0].Tensors[2].Shape, (std::vector<std::string>{"18", "4"}));
}

TEST(Plan, KeepsScalarsApartFromTensors) {
  annotation::Callable Declared =
      function("f", "x: f32[1], causal: key, eps: const",
               {parameter("causal", TypeKind::Bool), parameter("x"), parameter("eps", TypeKind::FloatingPoint)});
  Declared.Parameters[2].Default = "1e-5";
  const plan::Callable Callable = planOf({Declared}).Callables.at(0);
  EXPECT_EQ(Callable.Parameters[0].Scalar, annotation::ScalarKind::Key);
  EXPECT_EQ(Callable.Parameters[0].TensorCount, 0u);
  EXPECT_FALSE(Callable.Parameters[1].Scalar);
  EXPECT_EQ(Callable.Parameters[2].Scalar, annotation::ScalarKind::Const);
  EXPECT_EQ(Callable.Parameters[2].Default, "1e-5");
}

TEST(Plan, KeepsWhatIsWatchedInAnArgument) {
  annotation::Callable Declared = function("f", "net: module, opt: object, x: f32[1]",
                                           {parameter("net", TypeKind::Module), parameter("opt", TypeKind::Object), parameter("x")});
  Declared.Parameters[1].Watched.push_back({annotation::WatchedMember::Kind::Number, "opt.rate", {}});
  const plan::Callable Callable = planOf({Declared}).Callables.at(0);
  EXPECT_TRUE(plan::takesObjects(Callable));
  EXPECT_EQ(Callable.Parameters[0].Type, TypeKind::Module);
  EXPECT_FALSE(Callable.Parameters[0].Scalar);
  EXPECT_EQ(Callable.Parameters[1].Watched.at(0).Name, "opt.rate");
  EXPECT_EQ(Callable.Parameters[2].FirstTensor, 0u);
  EXPECT_FALSE(plan::takesObjects(planOf({function("g", "x: f32[1]", {parameter("x")})}).Callables.at(0)));
}

TEST(Plan, CountsLiveScalarsInTheOrderOfTheParameters) {
  const auto Planned = planOf({function(
      "f", "eps: live, x: f32[1], n: key, lr: live",
      {parameter("lr", TypeKind::LiveScalar), parameter("x"), parameter("n", TypeKind::Integer), parameter("eps", TypeKind::LiveScalar)})});
  const plan::Callable& Callable = Planned.Callables.at(0);
  EXPECT_EQ(Callable.Parameters[0].Scalar, annotation::ScalarKind::Live);
  EXPECT_EQ(Callable.Parameters[0].LiveIndex, 0u);
  EXPECT_EQ(Callable.Parameters[3].LiveIndex, 1u);
}

TEST(Plan, TakesOptionsAndTheirDefaults) {
  const auto Planned = planOf({function("f", "x: f32[1]; warmup = 5, outputs = alias, strict", {parameter("x")}),
                               function("g", "x: f32[1] inplace; outputs = clone", {parameter("x")}), function("h", "", {})});
  EXPECT_EQ(Planned.Callables[0].Settings.Warmup, 5);
  EXPECT_EQ(Planned.Callables[0].Settings.Outputs, plan::OutputPolicy::Alias);
  EXPECT_TRUE(Planned.Callables[0].Settings.Strict);
  EXPECT_EQ(Planned.Callables[1].Settings.Outputs, plan::OutputPolicy::Clone);
  EXPECT_EQ(Planned.Callables[1].SampleSets[0].Tensors[0].Flags, std::set{annotation::Flag::Inplace});
  EXPECT_EQ(Planned.Callables[2].Settings.Warmup, 3);
  EXPECT_EQ(Planned.Callables[2].Settings.Outputs, plan::OutputPolicy::Keep);
  EXPECT_FALSE(Planned.Callables[2].Settings.Strict);
}

TEST(Plan, TakesTheOptionsOfCaptures) {
  const annotation::Callable Declared =
      function("f", "x: f32[1]; slots = kSlots + 1, pool = actor; grads = in_graph", {parameter("x")}, {{"kSlots", 3}});
  const auto Planned = planOf({Declared, function("g", "", {})});
  EXPECT_EQ(Planned.Callables[0].Settings.Slots, 4);
  EXPECT_EQ(Planned.Callables[0].Settings.Pool, "actor");
  EXPECT_TRUE(Planned.Callables[0].Settings.GradsInGraph);
  EXPECT_EQ(Planned.Callables[1].Settings.Slots, 2);
  EXPECT_EQ(Planned.Callables[1].Settings.Pool, "");
  EXPECT_FALSE(Planned.Callables[1].Settings.GradsInGraph);
}

TEST(Plan, RepeatsTheAnnotationInCanonicalForm) {
  const auto Planned = planOf({function("f", "x  :f32 [ 2,\n3 ]grad;strict", {parameter("x")})});
  EXPECT_EQ(Planned.Callables[0].SampleSets[0].AnnotationText, "GRAPHED(x: f32[2, 3] grad; strict)");
}

TEST(Plan, ClipsLongAnnotations) {
  std::string Text = "x: f32[1";
  for (int I = 0; I < 40; ++I) {
    Text += ", 1 + 1";
  }
  const auto Planned = planOf({function("f", Text + "]", {parameter("x")})});
  EXPECT_LT(Planned.Callables[0].SampleSets[0].AnnotationText.size(), 140u);
  EXPECT_NE(Planned.Callables[0].SampleSets[0].AnnotationText.find("...)"), std::string::npos);
}

}  // namespace
