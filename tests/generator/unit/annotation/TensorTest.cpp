// SPDX-License-Identifier: Apache-2.0
//
// `x: f32[64, 784] grad`: dtypes, dimensions, flags and lists.
#include "MarkedText.h"
#include "Trees.h"

#include "annotation/Words.h"

namespace graphgen::annotation {
namespace {

Spec only(const std::string& Text) {
  const Annotation Tree = parsed(Text);
  EXPECT_EQ(Tree.Arguments.size(), 1U);
  return Tree.Arguments.empty() ? Spec() : Tree.Arguments[0].Value;
}

TEST(Tensor, TakesEveryDType) {
  const std::vector<std::pair<const char*, DType>> DTypes = {
      {"f64", DType::F64},       {"f32", DType::F32}, {"f16", DType::F16},   {"bf16", DType::BF16}, {"f8e4m3", DType::F8E4M3},
      {"f8e5m2", DType::F8E5M2}, {"c64", DType::C64}, {"c128", DType::C128}, {"i64", DType::I64},   {"i32", DType::I32},
      {"i16", DType::I16},       {"i8", DType::I8},   {"u8", DType::U8},     {"bool", DType::Bool},
  };
  for (const auto& [Word, Type] : DTypes) {
    EXPECT_TRUE(same(only("x: " + std::string(Word) + "[2]"), tensor(Type, {integer(2)}))) << Word;
  }
}

TEST(Tensor, GivesThePlacesOfItsParts) {
  const Field Argument = parsed("obs : f32[ 64, k + 1 ]  grad * 3").Arguments.at(0);
  EXPECT_EQ(Argument.NameRange.Begin, 0U);
  EXPECT_EQ(Argument.NameRange.End, 3U);
  EXPECT_EQ(Argument.Value.Range.Begin, 6U);
  EXPECT_EQ(Argument.Value.Range.End, 32U);
  EXPECT_EQ(Argument.Value.Dims.at(0).Range.Begin, 11U);
  EXPECT_EQ(Argument.Value.Dims.at(0).Range.End, 13U);
  EXPECT_EQ(Argument.Value.Dims.at(1).Range.Begin, 15U);
  EXPECT_EQ(Argument.Value.Dims.at(1).Range.End, 20U);
  EXPECT_EQ(Argument.Value.Flags.at(0).Range.Begin, 24U);
  EXPECT_EQ(Argument.Value.Flags.at(0).Range.End, 28U);
  EXPECT_EQ(Argument.Value.Repeat->Range.Begin, 31U);
  EXPECT_EQ(Argument.Value.Repeat->Range.End, 32U);
}

TEST(Tensor, TakesIntegersNamesAndArithmeticAsDimensions) {
  const std::vector<std::pair<const char*, std::vector<Expr>>> Cases = {
      {"", {}},
      {"0", {integer(0)}},
      {"64, 1'024, 0x10", {integer(64), integer(1024), integer(16)}},
      {"B", {name("B")}},
      {"config::kBatch", {name("config::kBatch")}},
      {"::app :: config::k", {name("::app::config::k")}},
      {"a + b - c", {subtract(add(name("a"), name("b")), name("c"))}},
      {"a - b + c", {add(subtract(name("a"), name("b")), name("c"))}},
      {"a + b * c", {add(name("a"), multiply(name("b"), name("c")))}},
      {"a * b + c", {add(multiply(name("a"), name("b")), name("c"))}},
      {"a / b * c % d", {remainder(multiply(divide(name("a"), name("b")), name("c")), name("d"))}},
      {"(a + b) * c", {multiply(add(name("a"), name("b")), name("c"))}},
      {"a - (b - c)", {subtract(name("a"), subtract(name("b"), name("c")))}},
      {"-a * b", {multiply(negate(name("a")), name("b"))}},
      {"a - -b", {subtract(name("a"), negate(name("b")))}},
      {"--a", {negate(negate(name("a")))}},
      {"-(a + 1)", {negate(add(name("a"), integer(1)))}},
      {"((a)), 2", {name("a"), integer(2)}},
  };
  for (const auto& [Text, Dims] : Cases) {
    EXPECT_TRUE(same(only("x: f32[" + std::string(Text) + "]"), tensor(DType::F32, Dims))) << Text;
  }
}

TEST(Tensor, GivesThePlaceOfAnExpressionWithoutItsParentheses) {
  const Expr Product = only("x: f32[(a + b) * c]").Dims.at(0);
  EXPECT_EQ(Product.Range.Begin, 7U);
  EXPECT_EQ(Product.Range.End, 18U);
  EXPECT_EQ(Product.Operands.at(0).Range.Begin, 8U);
  EXPECT_EQ(Product.Operands.at(0).Range.End, 13U);
}

TEST(Tensor, TakesEveryFlagInAnyOrder) {
  EXPECT_TRUE(
      same(only("x: f32[2] grad channels_last inplace static optional host"),
           tensor(DType::F32, {integer(2)}, {Flag::Grad, Flag::ChannelsLast, Flag::Inplace, Flag::Static, Flag::Optional, Flag::Host})));
  EXPECT_TRUE(same(only("x: f32[2] host grad"), tensor(DType::F32, {integer(2)}, {Flag::Host, Flag::Grad})));
}

TEST(Tensor, TakesACountWithFlagsOnEitherSide) {
  EXPECT_TRUE(same(only("x: f32[2] * 3"), tensor(DType::F32, {integer(2)}, {}, integer(3))));
  EXPECT_TRUE(same(only("x: f32[2] * kLayers grad"), tensor(DType::F32, {integer(2)}, {Flag::Grad}, name("kLayers"))));
  EXPECT_TRUE(
      same(only("x: f32[2] grad * (n + 1) host"), tensor(DType::F32, {integer(2)}, {Flag::Grad, Flag::Host}, add(name("n"), integer(1)))));
}

TEST(Tensor, MayBeCalledLikeAWordOfTheLanguage) {
  const Annotation Tree = parsed("key: f32[1], grad: f32[2] grad, in: f32[3], f32: f32[4], step: f32[5]; step");
  EXPECT_TRUE(
      same(Tree.Arguments, {field("key", tensor(DType::F32, {integer(1)})), field("grad", tensor(DType::F32, {integer(2)}, {Flag::Grad})),
                            field("in", tensor(DType::F32, {integer(3)})), field("f32", tensor(DType::F32, {integer(4)})),
                            field("step", tensor(DType::F32, {integer(5)}))}));
}

TEST(Tensor, WithAWrongDimensionIsAnError) {
  expectError("x: f32[64, 8<;> warmup = 3", "expected ']' to close the dimensions, got ';'");
  expectError("x: f32[64<>", "expected ']' to close the dimensions, got the end of the annotation");
  expectError("x: f32[64<)>", "expected ']' to close the dimensions, got ')'");
  expectError("x: f32[64 <8>]", "expected ',' or ']' after a dimension, got '8'");
  expectError("x: f32[64 <k>]", "expected ',' or ']' after a dimension, got 'k'");
  expectError("x: f32[<,>]", "expected a dimension, got ','");
  expectError("x: f32[2, <]>", "expected a dimension, got ']'");
  expectError("x: f32[<*>]", "expected a dimension, got '*'" + VariableHint.str());
  expectError("x: f32[<[>2]]", "expected a dimension, got '['");
  expectError("x: f32[2 * <]>", "expected an integer, a name or '(' after '*', got ']'");
  expectError("x: f32[2 + <*> 3]", "expected an integer, a name or '(' after '+', got '*'");
  expectError("x: f32[-<]>", "expected an integer, a name or '(' after '-', got ']'");
  expectError("x: f32[(<)>]", "expected an integer, a name or '(' after '(', got ')'");
  expectError("x: f32[(a + 1<]>", "expected ')' to close the parentheses, got ']'");
  expectError("x: f32[a::<2>]", "expected a name after '::', got '2'");
  expectError("x: f32[::<]>", "expected a name after '::', got ']'");
  expectError("x: f32[<+>2]", "expected a dimension, got '+'");
  expectError("x: f32[0<8>]", "digit '8' in an octal integer");
  expectError("x: f32[<1.5>]", "expected an integer, got a floating-point number");
  expectError("x: f32[2<{>3}]", "expected ']' to close the dimensions, got '{'");
}

TEST(Tensor, WithoutDimensionsIsAnError) {
  expectError("x: f32<>",
              "expected '[' to open the dimensions of 'f32' (a tensor without dimensions is 'f32[]'), got the end of the annotation");
  expectError("x: i64<,> y: f32[]", "expected '[' to open the dimensions of 'i64' (a tensor without dimensions is 'i64[]'), got ','");
  expectError("x: f32<(>2)", "expected '[' to open the dimensions of 'f32' (a tensor without dimensions is 'f32[]'), got '('");
}

TEST(Tensor, WithAWrongDTypeIsOfferedTheRightOne) {
  const std::vector<std::pair<const char*, const char*>> Cases = {
      {"float32", "f32"},        {"float", "f32"},         {"fp32", "f32"},      {"kFloat", "f32"},      {"F32", "f32"},
      {"double", "f64"},         {"float64", "f64"},       {"fp16", "f16"},      {"half", "f16"},        {"float16", "f16"},
      {"bfloat16", "bf16"},      {"bf61", "bf16"},         {"complex64", "c64"}, {"complex128", "c128"}, {"long", "i64"},
      {"int64", "i64"},          {"int64_t", "i64"},       {"int", "i32"},       {"short", "i16"},       {"int8", "i8"},
      {"uint8_t", "u8"},         {"byte", "u8"},           {"boolean", "bool"},  {"boll", "bool"},       {"f8e4m3fn", "f8e4m3"},
      {"float8_e5m2", "f8e5m2"}, {"torch::kFloat", "f32"}, {"at::kLong", "i64"}, {"at::f32", "f32"},
  };
  for (const auto& [Wrong, Right] : Cases) {
    const std::string Last = std::string(Wrong).substr(std::string(Wrong).rfind(':') + 1);
    expectError("x: <" + std::string(Wrong) + ">[2]", "unknown dtype '" + Last + "'; did you mean '" + Right + "'?");
    EXPECT_EQ(fixed("x: " + std::string(Wrong) + "[2] grad"), "x: " + std::string(Right) + "[2] grad");
  }
}

TEST(Tensor, WithADTypeNearToNoneOrToTwoIsShownAll) {
  const std::string All = "; expected f64, f32, f16, bf16, f8e4m3, f8e5m2, c64, c128, i64, i32, i16, i8, u8 or bool";
  expectError("x: <Tensor>[2]", "unknown dtype 'Tensor'" + All);
  expectError("x: <f34>[2]", "unknown dtype 'f34'" + All);
  expectError("x: <u16>[2]", "unknown dtype 'u16'" + All);
}

TEST(Tensor, WithAWrongFlagIsAnError) {
  expectError("x: f32[2] <gradd>", "unknown flag 'gradd'; did you mean 'grad'?");
  expectError("x: f32[2] <requires_grad>", "unknown flag 'requires_grad'; did you mean 'grad'?");
  expectError("x: f32[2] <in_place>", "unknown flag 'in_place'; did you mean 'inplace'?");
  expectError("x: f32[2] <Optional> grad", "unknown flag 'Optional'; did you mean 'optional'?");
  expectError("x: f32[2] <const>", "unknown flag 'const'; expected grad, channels_last, inplace, static, optional or host");
  expectError("x: f32[2] grad <grad>", "the flag 'grad' is given twice");
  expectError("x: f32[2] grad * 3 <grad>", "the flag 'grad' is given twice");
  EXPECT_EQ(fixed("x: f32[2] gradd chanels_last"), "x: f32[2] grad channels_last");
}

TEST(Tensor, WithAWrongCountIsAnError) {
  const std::string Expected = "expected an integer, a name or '(' after '*', got ";
  expectError("x: f32[2] *<>", Expected + "the end of the annotation");
  expectError("x: f32[2] * <->1", Expected + "'-'");
  expectError("x: f32[2] * <[>2]", Expected + "'['");
  expectError("x: f32[2] * 2 <*> 3", "arithmetic in a count needs parentheses: '* (...)'");
  expectError("x: f32[2] * n <+> 1", "arithmetic in a count needs parentheses: '* (...)'");
}

TEST(Tensor, FollowedByAnythingElseIsAnError) {
  expectError("x: f32[2]<]>", "expected ',' or ';' after the argument 'x', got ']'");
  expectError("x: f32[2] <3>", "expected ',' or ';' after the argument 'x', got '3'");
  expectError("x: f32[2] <=> 3", "expected ',' or ';' after the argument 'x', got '='");
}

}  // namespace
}  // namespace graphgen::annotation
