// SPDX-License-Identifier: Apache-2.0
//
// The statements that visit aggregates.
#include "emit/Visit.h"

#include <gtest/gtest.h>

using namespace graphgen;
using annotation::ScalarKind;
using annotation::TypeKind;
using plan::Part;

namespace {

Part part(TypeKind Type, std::vector<Part> Parts = {}, std::string Name = "") {
  Part Result;
  Result.Type = Type;
  Result.Parts = std::move(Parts);
  Result.Name = std::move(Name);
  return Result;
}

Part tensor(std::string Name = "") { return part(TypeKind::Tensor, {}, std::move(Name)); }
Part key(std::string Name = "") {
  Part Result = part(TypeKind::Bool, {}, std::move(Name));
  Result.Scalar = ScalarKind::Key;
  return Result;
}

plan::Parameter parameter(Part P, const std::string& Name) {
  plan::Parameter Result;
  static_cast<Part&>(Result) = std::move(P);
  Result.Name = Name;
  return Result;
}

std::string visited(Part P, const std::string& Name) {
  const plan::Parameter Parameter = parameter(std::move(P), Name);
  return emit::visitArguments({&Parameter}, {Name});
}

TEST(Visit, SpellsAccessPaths) {
  const Part Pair = part(TypeKind::Tuple, {tensor(), part(TypeKind::Struct, {tensor("x")})}, "pair");
  EXPECT_EQ(visited(part(TypeKind::Struct, {tensor("obs"), Pair}), "b"),
            "  visit(b.obs);\n"
            "  visit(std::get<0>(b.pair));\n"
            "  visit(std::get<1>(b.pair).x);\n");
}

TEST(Visit, PassesOverWhatHoldsNoTensors) {
  const Part Switches = part(TypeKind::Array, {part(TypeKind::Tuple, {key(), key()})}, "switches");
  EXPECT_EQ(visited(part(TypeKind::Struct, {Switches, key("on"), tensor("x")}), "b"), "  visit(b.x);\n");
}

TEST(Visit, FollowsPointersToPointers) {
  const Part Inner = part(TypeKind::UniquePointer, {part(TypeKind::Struct, {tensor("x")})});
  plan::Callable Given;
  Given.Result = part(TypeKind::Optional, {Inner});
  EXPECT_EQ(emit::visitResult(Given),
            "  if (result) {\n"
            "    if (*result) {\n"
            "      visit((*result)->x);\n"
            "    }\n"
            "  }\n");
}

TEST(Visit, FollowsOptionalsByTheirPointer) {
  const Part Inner = part(TypeKind::Struct, {tensor("x"), part(TypeKind::Optional, {tensor()}, "mask")});
  EXPECT_EQ(visited(part(TypeKind::Optional, {Inner}), "b"),
            "  visit.length(b.has_value());\n"
            "  if (b) {\n"
            "    visit(b->x);\n"
            "    visit(b->mask);\n"
            "  }\n");
  EXPECT_EQ(visited(part(TypeKind::Optional, {part(TypeKind::Tuple, {tensor(), tensor()})}), "b"),
            "  visit.length(b.has_value());\n"
            "  if (b) {\n"
            "    visit(std::get<0>(*b));\n"
            "    visit(std::get<1>(*b));\n"
            "  }\n");
}

TEST(Visit, GivesNestedElementsNamesOfTheirOwn) {
  const Part Layer = part(TypeKind::Struct, {tensor("w")});
  const Part Rows = part(TypeKind::Vector, {part(TypeKind::Array, {Layer})});
  const std::string Text =
      "  visit.each(b, [&](auto& element) {\n"
      "    visit.each(element, [&](auto& element2) {\n"
      "      visit(element2.w);\n"
      "    });\n"
      "  });\n";
  EXPECT_EQ(visited(Rows, "b"), Text);
  EXPECT_NE(visited(Rows, "element2").find("[&](auto& the_element)"), std::string::npos);
}

TEST(Visit, FindsArgumentsByKeyAndTakesResultsAsTheyCome) {
  Part Value = tensor("x");
  Value.TensorCount = 1;
  EXPECT_EQ(visited(part(TypeKind::Map, {Value}), "m"),
            "  visit.length(m.size());\n"
            "  visit.at(m, \"x\", /*tensors=*/1, visit);\n");
  plan::Callable Given;
  Given.Result = part(TypeKind::Map, {part(TypeKind::Optional, {tensor()})});
  EXPECT_EQ(emit::visitResult(Given),
            "  visit.each_value(result, [&](auto& element) {\n"
            "    if (element) {\n"
            "      visit(*element);\n"
            "    }\n"
            "  });\n");
}

TEST(Visit, NamesScalarsByTheirPath) {
  const Part Config = part(TypeKind::Struct, {key("on"), tensor("x")}, "config");
  const Part Pairs = part(TypeKind::Array, {part(TypeKind::Tuple, {tensor(), key()}), part(TypeKind::Tuple, {tensor(), key()})}, "pairs");
  EXPECT_EQ(emit::scalarCalls(parameter(part(TypeKind::Struct, {Config, Pairs}), "b"), "arguments.b"),
            (std::vector<std::string>{".key(\"b.config.on\", arguments.b.config.on)",
                                      ".key(\"b.pairs[0][1]\", std::get<1>(std::get<0>(arguments.b.pairs)))",
                                      ".key(\"b.pairs[1][1]\", std::get<1>(std::get<1>(arguments.b.pairs)))"}));
}

}  // namespace
