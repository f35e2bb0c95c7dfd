// SPDX-License-Identifier: Apache-2.0
//
// `causal: key`, `eps: const`, `lr: live`, and the names before them.
#include "MarkedText.h"
#include "Trees.h"

namespace graphgen::annotation {
namespace {

TEST(Scalar, TakesItsThreeWords) {
  EXPECT_TRUE(same(parsed("causal: key, eps:const, lr : live"),
                   arguments({field("causal", scalar(ScalarKind::Key)), field("eps", scalar(ScalarKind::Const)),
                              field("lr", scalar(ScalarKind::Live))})));
}

TEST(Scalar, GivesItsPlace) {
  const Spec Value = parsed("lr: live").Arguments.at(0).Value;
  EXPECT_EQ(Value.Range.Begin, 4U);
  EXPECT_EQ(Value.Range.End, 8U);
}

TEST(Scalar, TakesACount) {
  Spec Three = scalar(ScalarKind::Key);
  Three.Repeat = integer(3);
  Spec Many = scalar(ScalarKind::Live);
  Many.Repeat = add(name("n"), integer(1));
  EXPECT_TRUE(same(parsed("sizes: key * 3, rates: live*(n + 1)"), arguments({field("sizes", Three), field("rates", Many)})));
  EXPECT_EQ(parsed("sizes: key * 3").Arguments.at(0).Value.Range.End, 14U);
}

TEST(Scalar, TakesNoFlags) {
  expectError("eps: const <grad>", "a 'const' argument takes no flags, got 'grad'");
  expectError("eps: key * 3 <grad>", "a 'key' argument takes no flags, got 'grad'");
  expectError("eps: key * <>", "expected an integer, a name or '(' after '*', got the end of the annotation");
  expectError("eps: key<[>2]", "expected ',' or ';' after the argument 'eps', got '['");
  expectError("eps: const <=> 3", "expected ',' or ';' after the argument 'eps', got '='");
}

TEST(Scalar, WithAWrongWordIsOfferedTheRightOne) {
  expectError("eps: <cnst>", "unknown word 'cnst'; did you mean 'const'?");
  expectError("eps: <constexpr>", "unknown word 'constexpr'; did you mean 'const'?");
  expectError("eps: <Key>", "unknown word 'Key'; did you mean 'key'?");
  expectError("lr: <float>", "unknown word 'float'; did you mean 'f32'?");
  expectError("lr: <number>",
              "unknown word 'number'; expected f64, f32, f16, bf16, f8e4m3, f8e5m2, c64, c128, i64, i32, i16, i8, u8 or bool; or key, "
              "const, live, module, object, out or ignore");
  EXPECT_EQ(fixed("eps: constant, k: kye"), "eps: const, k: key");
}

TEST(Object, TakesItsTwoWords) {
  EXPECT_TRUE(same(parsed("net: module, opt :object"),
                   arguments({field("net", object(ObjectKind::Module)), field("opt", object(ObjectKind::Object))})));
  EXPECT_TRUE(same(parsed("module: module, object: f32[2]"),
                   arguments({field("module", object(ObjectKind::Module)), field("object", tensor(DType::F32, {integer(2)}))})));
  EXPECT_EQ(parsed("net: module").Arguments.at(0).Value.Range.End, 11U);
}

TEST(Unseen, TakesItsTwoWords) {
  EXPECT_TRUE(
      same(parsed("loss: out, b: {id: ignore, x: f32[2]}"),
           arguments({field("loss", unseen(UnseenKind::Out)),
                      field("b", aggregate({field("id", unseen(UnseenKind::Ignore)), field("x", tensor(DType::F32, {integer(2)}))}))})));
  EXPECT_TRUE(same(parsed("out: out, ignore: f32[2]"),
                   arguments({field("out", unseen(UnseenKind::Out)), field("ignore", tensor(DType::F32, {integer(2)}))})));
  EXPECT_EQ(parsed("loss: out").Arguments.at(0).Value.Range.End, 9U);
}

TEST(Unseen, TakesNeitherFlagsNorACount) {
  expectError("loss: out <grad>", "an 'out' argument takes no flags, got 'grad'");
  expectError("loss: out <*> 2", "expected ',' or ';' after the argument 'loss', got '*'");
  expectError("b: {id: <ignored>}", "unknown word 'ignored'; did you mean 'ignore'?");
}

TEST(Object, TakesNeitherFlagsNorACount) {
  expectError("net: module <grad>", "a 'module' argument takes no flags, got 'grad'");
  expectError("opt: object <*> 2", "expected ',' or ';' after the argument 'opt', got '*'");
  expectError("net: <modul>", "unknown word 'modul'; did you mean 'module'?");
  EXPECT_EQ(fixed("net: model, opt: objct"), "net: module, opt: object");
}

TEST(Argument, NeedsANameAColonAndAMeaning) {
  expectError("<5>: key", "expected an argument's name, got '5'");
  expectError("<[>2]", "expected an argument's name, got '['");
  expectError("<,> x: key", "expected an argument's name, got ','");
  expectError("x: key, <,> y: key", "expected an argument's name after ',', got ','");
  expectError("x: key,<>", "expected an argument's name after ',', got the end of the annotation");
  expectError("x: key, <;> strict", "expected an argument's name after ',', got ';'");
  expectError("x<>", "expected ':' after the argument's name 'x', got the end of the annotation");
  expectError("x <f32>[2]", "expected ':' after the argument's name 'x', got 'f32'");
  expectError("x<::>y: key", "expected ':' after the argument's name 'x', got '::'");
  expectError("<f32>[2]", "expected an argument's name and ':' before 'f32'");
  expectError("x: key, <bool>[2]", "expected an argument's name and ':' before 'bool'");
  expectError("x:<>", "expected a dtype, '{', key, const, live, module, object, out or ignore, got the end of the annotation");
  expectError("x: <5>", "expected a dtype, '{', key, const, live, module, object, out or ignore, got '5'");
  expectError("x: <[>2]", "expected a dtype, '{', key, const, live, module, object, out or ignore, got '['");
}

TEST(Argument, IsGivenOnce) {
  expectError("x: key, y: f32[2], <x>: const", "the argument 'x' is given twice");
  expectErrors("x: key, <x>: key, <x>: key", {"the argument 'x' is given twice", "the argument 'x' is given twice"});
}

TEST(Argument, IsDividedFromTheNextByAComma) {
  expectError("x: f32[2] <y>: f32[3]", "expected ',' before the argument 'y'");
  expectError("x: key <y>: key", "expected ',' before the argument 'y'");
  expectError("x: {f32[2]} <y>: key", "expected ',' before the argument 'y'");
  EXPECT_EQ(fixed("x: f32[2] y: f32[3] z: key"), "x: f32[2], y: f32[3], z: key");
}

TEST(Annotation, MayBeEmpty) {
  EXPECT_TRUE(same(parsed(""), Annotation()));
  EXPECT_TRUE(same(parsed(" \n\t "), Annotation()));
}

}  // namespace
}  // namespace graphgen::annotation
