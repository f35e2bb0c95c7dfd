// SPDX-License-Identifier: Apache-2.0
//
// `{obs: f32[64, 8], act: i64[64]}`: named or positional, nested, repeated.
#include "MarkedText.h"
#include "Trees.h"

namespace graphgen::annotation {
namespace {

const Spec Two = tensor(DType::F32, {integer(2)});

TEST(Aggregate, TakesMembersByName) {
  EXPECT_TRUE(same(parsed("b: {obs: f32[64, 8] grad, act: i64[64]}"),
                   arguments({field("b", aggregate({field("obs", tensor(DType::F32, {integer(64), integer(8)}, {Flag::Grad})),
                                                    field("act", tensor(DType::I64, {integer(64)}))}))})));
}

TEST(Aggregate, TakesMembersByPosition) {
  EXPECT_TRUE(same(parsed("b: {f32[2], i64[]}"), arguments({field("b", aggregate({field("", Two), field("", tensor(DType::I64, {}))}))})));
}

TEST(Aggregate, MixesTensorsAndScalars) {
  EXPECT_TRUE(same(
      parsed("b: {x: f32[2], flag: key, c: {eps: const, lr: live}}, p: {f32[2], key}"),
      arguments(
          {field("b", aggregate({field("x", Two), field("flag", scalar(ScalarKind::Key)),
                                 field("c", aggregate({field("eps", scalar(ScalarKind::Const)), field("lr", scalar(ScalarKind::Live))}))})),
           field("p", aggregate({field("", Two), field("", scalar(ScalarKind::Key))}))})));
}

TEST(Aggregate, NestsAndRepeats) {
  const Spec Inner = aggregate({field("", Two), field("", tensor(DType::F32, {integer(2)}, {}, integer(4)))}, name("n"));
  EXPECT_TRUE(same(parsed("b: {in: {f32[2], f32[2] * 4} * n, out: f32[2]} * 3"),
                   arguments({field("b", aggregate({field("in", Inner), field("out", Two)}, integer(3)))})));
}

TEST(Aggregate, GivesThePlacesOfItsParts) {
  const Spec Value = parsed("b: {obs: f32[2]} * 3").Arguments.at(0).Value;
  EXPECT_EQ(Value.Range.Begin, 3U);
  EXPECT_EQ(Value.Range.End, 20U);
  EXPECT_EQ(Value.Fields.at(0).NameRange.Begin, 4U);
  EXPECT_EQ(Value.Fields.at(0).NameRange.End, 7U);
  EXPECT_EQ(Value.Fields.at(0).Value.Range.Begin, 9U);
  EXPECT_EQ(Value.Fields.at(0).Value.Range.End, 15U);
}

TEST(Aggregate, NestsSixtyFourDeepAndNoDeeper) {
  const auto Nested = [](size_t Depth) { return "x: " + std::string(Depth, '{') + "f32[2]" + std::string(Depth, '}'); };
  parsed(Nested(64));
  const std::vector<Diagnostic> Errors = parse(Nested(65)).Errors;
  expectDiagnostics(Errors, "graphed-syntax", {{67, 68}}, {"nesting deeper than 64 levels"});
}

TEST(Aggregate, WithWrongMembersIsAnError) {
  expectError("b: {<}>", "expected a tensor, an aggregate, key, const, live, out or ignore as a member, got '}'");
  expectError("b: {f32[2], <}>", "expected a tensor, an aggregate, key, const, live, out or ignore as a member, got '}'");
  expectError("b: {a: <}>", "expected a tensor, an aggregate, key, const, live, out or ignore as a member, got '}'");
  expectError("b: {<5>}", "expected a tensor, an aggregate, key, const, live, out or ignore as a member, got '5'");
  expectError("b: {f32[2]<>", "expected '}' to close the aggregate, got the end of the annotation");
  expectError("b: {f32[2]<]>}", "expected '}' to close the aggregate, got ']'");
  expectError("b: {f32[2]<;> strict", "expected '}' to close the aggregate, got ';'");
  expectError("b: {a: f32[2] <c>: f32[2]}", "expected ',' or '}' after a member, got 'c'");
  expectError("b: {a: f32[2], <f32>[2]}", "the members before have names, so that this one needs a name and ':'");
  expectError("b: {f32[2], <a>: f32[2]}", "the members before have no names, so that 'a' cannot have one");
  expectError("b: {a: f32[2], <a>: i64[2]}", "the member 'a' is given twice");
  expectError("b: {a: key <grad>}", "a 'key' argument takes no flags, got 'grad'");
  expectError("b: {a: <float>[2]}", "unknown dtype 'float'; did you mean 'f32'?");
  expectError("b: {f32[2]} <grad>", "flags belong to the tensors inside an aggregate, got 'grad' after it");
  expectError("b: {f32[2]} * 2 <grad>", "flags belong to the tensors inside an aggregate, got 'grad' after it");
  expectError("b: {f32[2]} * 2 <+> 1", "arithmetic in a count needs parentheses: '* (...)'");
  expectError("b: {f32[2]}<}>", "expected ',' or ';' after the argument 'b', got '}'");
}

}  // namespace
}  // namespace graphgen::annotation
