// SPDX-License-Identifier: Apache-2.0
//
// The manifest.
#include "Callables.h"
#include "plan/PlanJson.h"
#include "plan/Version.h"

#include "llvm/Support/JSON.h"

using namespace graphgen;
using namespace graphgen::plan_tests;

namespace {

llvm::json::Object parsed(const plan::FilePlan& Plan) {
  llvm::Expected<llvm::json::Value> Value = llvm::json::parse(plan::toJson(Plan));
  EXPECT_TRUE(static_cast<bool>(Value)) << llvm::toString(Value.takeError());
  return std::move(*Value->getAsObject());
}

TEST(PlanJson, HoldsWhatWasPlanned) {
  annotation::Callable Declared = method("app::NetImpl", "forward", "x: f32[2, 3] grad, hs: i64[4] * 2, causal: key; strict",
                                         {parameter("x"), parameter("hs", TypeKind::Vector), parameter("causal", TypeKind::Bool)});
  Declared.ObjectIsModule = true;
  Declared.Parameters[2].Default = "true";
  const llvm::json::Object File = parsed(planOf({Declared}));
  EXPECT_EQ(File.getInteger("schema"), 1);
  EXPECT_EQ(File.getString("graphgen"), plan::versionText());
  EXPECT_EQ(File.getString("file"), "policy.h");
  const llvm::json::Object& Callable = *File.getArray("callables")->front().getAsObject();
  EXPECT_EQ(Callable.getString("name"), "app::NetImpl::forward");
  EXPECT_EQ(Callable.getString("kind"), "method");
  EXPECT_EQ(Callable.getString("object"), "app::NetImpl");
  EXPECT_EQ(Callable.getBoolean("module"), true);
  EXPECT_EQ(Callable.getInteger("line"), 7);
  const llvm::json::Object& Samples = *Callable.getArray("samples")->front().getAsObject();
  EXPECT_EQ(Samples.getString("annotation"), "GRAPHED(x: f32[2, 3] grad, hs: i64[4] * 2, causal: key; strict)");
  EXPECT_FALSE(Samples.getArray("variables"));
  const llvm::json::Array& Tensors = *Samples.getArray("tensors");
  ASSERT_EQ(Tensors.size(), 3u);
  EXPECT_TRUE(*Tensors[0].getAsObject()->getArray("flags") == (llvm::json::Array{"grad"}));
  EXPECT_TRUE(Tensors[2].getAsObject()->getArray("flags")->empty());
  EXPECT_TRUE(*Tensors[0].getAsObject()->getArray("shape") == (llvm::json::Array{2, 3}));
  EXPECT_EQ(Tensors[2].getAsObject()->getString("name"), "hs[1]");
  EXPECT_EQ(Tensors[2].getAsObject()->getString("dtype"), "i64");
  const llvm::json::Array& Parameters = *Callable.getArray("parameters");
  EXPECT_EQ(Parameters[1].getAsObject()->getInteger("tensor_count"), 2);
  EXPECT_EQ(Parameters[2].getAsObject()->getString("scalar"), "key");
  EXPECT_EQ(Parameters[2].getAsObject()->getString("default"), "true");
  EXPECT_EQ(Callable.getObject("options")->getBoolean("strict"), true);
}

TEST(PlanJson, NamesObjectsByTheirTypes) {
  const llvm::json::Object File =
      parsed(planOf({function("f", "net: module, opt: object", {parameter("net", TypeKind::Module), parameter("opt", TypeKind::Object)})}));
  const llvm::json::Array& Parameters = *File.getArray("callables")->front().getAsObject()->getArray("parameters");
  EXPECT_TRUE(*Parameters[0].getAsObject() == (llvm::json::Object{{"name", "net"}, {"type", "module"}}));
  EXPECT_TRUE(*Parameters[1].getAsObject() == (llvm::json::Object{{"name", "opt"}, {"type", "object"}}));
}

TEST(PlanJson, HoldsDimensionVariablesAndEachAnnotation) {
  const llvm::json::Object File = parsed(planOf({function("f", "x: f32[2, 3 * B]; B in {8, 1}", {parameter("x")}),
                                                 function("f", "x: f32[T]; T in {4} pad repeat", {parameter("x")})}));
  const llvm::json::Array& Samples = *File.getArray("callables")->front().getAsObject()->getArray("samples");
  ASSERT_EQ(Samples.size(), 2u);
  const llvm::json::Object& First = *Samples[0].getAsObject();
  EXPECT_TRUE(*First.getArray("variables") == (llvm::json::Array{llvm::json::Object{{"name", "B"}, {"values", {1, 8}}}}));
  EXPECT_TRUE(*First.getArray("tensors")->front().getAsObject()->getArray("shape") == (llvm::json::Array{2, "3 * B"}));
  const llvm::json::Array Padded{llvm::json::Object{{"name", "T"}, {"values", llvm::json::Array{4}}, {"pad", "repeat"}}};
  EXPECT_TRUE(*Samples[1].getAsObject()->getArray("variables") == Padded);
}

TEST(PlanJson, HoldsMembersScalars) {
  const annotation::Type Struct = type(
      TypeKind::Struct,
      {{"on", type(TypeKind::Bool)}, {"x", type(TypeKind::Tensor)}, {"rates", type(TypeKind::Array, {{"", type(TypeKind::LiveScalar)}})}});
  const llvm::json::Object File =
      parsed(planOf({function("f", "b: {x: f32[2], on: key, rates: live * 2}, y: f32[1]", {parameter("b", Struct), parameter("y")})}));
  const llvm::json::Array& Parameters = *File.getArray("callables")->front().getAsObject()->getArray("parameters");
  const auto Scalar = [](const char* Name, const char* Type, const char* Word) {
    return llvm::json::Object{{"name", Name}, {"type", Type}, {"scalar", Word}};
  };
  EXPECT_TRUE(*Parameters[0].getAsObject()->getArray("scalars") ==
              (llvm::json::Array{Scalar("b.on", "bool", "key"), Scalar("b.rates[0]", "live scalar", "live"),
                                 Scalar("b.rates[1]", "live scalar", "live")}));
  EXPECT_EQ(Parameters[0].getAsObject()->getInteger("tensor_count"), 1);
  EXPECT_FALSE(Parameters[1].getAsObject()->getArray("scalars"));
}

TEST(PlanJson, HoldsTheLengthsOfLists) {
  const auto Hs = parameter("hs", TypeKind::Vector);
  const llvm::json::Object File = parsed(planOf({function("f", "hs: f32[2] * 2", {Hs}), function("f", "hs: f32[2] * 3", {Hs})}));
  const llvm::json::Object& Callable = *File.getArray("callables")->front().getAsObject();
  EXPECT_FALSE(Callable.getArray("parameters")->front().getAsObject()->getInteger("first_tensor"));
  const llvm::json::Array& Samples = *Callable.getArray("samples");
  for (const int64_t Index : {0, 1}) {
    const llvm::json::Array Lists{llvm::json::Object{{"name", "hs"}, {"count", Index + 2}}};
    EXPECT_TRUE(*Samples[static_cast<std::size_t>(Index)].getAsObject()->getArray("lists") == Lists);
  }
}

TEST(PlanJson, EscapesHostileText) {
  plan::FilePlan Plan = planOf({function("f", "x: f32[1]", {parameter("x")})});
  Plan.Callables[0].QualifiedName = "a\"b\\c\nd\xff";
  const llvm::json::Object File = parsed(Plan);
  EXPECT_EQ(File.getArray("callables")->front().getAsObject()->getString("name"), "a\"b\\c\nd\xef\xbf\xbd");
}

TEST(PlanJson, IsTheSameForTheSamePlan) {
  const auto Plan = planOf({function("f", "x: f32[1]", {parameter("x")}), function("g", "", {})});
  EXPECT_EQ(plan::toJson(Plan), plan::toJson(Plan));
  EXPECT_EQ(plan::toJson(Plan).back(), '\n');
}

}  // namespace
