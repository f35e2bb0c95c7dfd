// SPDX-License-Identifier: Apache-2.0
//
// What is after the first `;`: options and dimension variables.
#include "MarkedText.h"
#include "Trees.h"

namespace graphgen::annotation {
namespace {

Option option(OptionKind Kind, std::string Word = {}, std::optional<Expr> Value = std::nullopt) {
  return {Kind, std::move(Word), std::move(Value), {}, {}};
}

TEST(Option, TakesEveryOptionAndValue) {
  const std::vector<std::pair<const char*, Option>> Cases = {
      {"outputs = keep", option(OptionKind::Outputs, "keep")},
      {"outputs = alias", option(OptionKind::Outputs, "alias")},
      {"outputs = clone", option(OptionKind::Outputs, "clone")},
      {"pool = actor", option(OptionKind::Pool, "actor")},
      {"slots = 2", option(OptionKind::Slots, "", integer(2))},
      {"warmup = 3", option(OptionKind::Warmup, "", integer(3))},
      {"warmup=app::kWarm+1", option(OptionKind::Warmup, "", add(name("app::kWarm"), integer(1)))},
      {"step", option(OptionKind::Step)},
      {"strict", option(OptionKind::Strict)},
      {"order = 2", option(OptionKind::Order, "", integer(2))},
      {"grads = in_graph", option(OptionKind::Grads, "in_graph")},
      {"allow = graphed-host-item", option(OptionKind::Allow, "graphed-host-item")},
      {"allow = graphed - host - item", option(OptionKind::Allow, "graphed-host-item")},
  };
  for (const auto& [Text, Expected] : Cases) {
    EXPECT_TRUE(same(parsed("; " + std::string(Text)), {{}, {}, {Expected}})) << Text;
    EXPECT_TRUE(same(parsed("x: key; " + std::string(Text)), {{field("x", scalar(ScalarKind::Key))}, {}, {Expected}})) << Text;
  }
}

TEST(Option, IsDividedFromTheNextByACommaOrASemicolon) {
  const Annotation Expected = {{}, {}, {option(OptionKind::Step), option(OptionKind::Slots, "", integer(2)), option(OptionKind::Strict)}};
  for (const char* Text : {"; step, slots = 2, strict", "; step; slots = 2; strict", ";step,slots=2;strict"}) {
    EXPECT_TRUE(same(parsed(Text), Expected)) << Text;
  }
}

TEST(Option, GivesThePlacesOfItsParts) {
  const Annotation Tree = parsed("; slots = 2 + n, pool = a, strict");
  const std::vector<std::pair<TextRange, TextRange>> Places = {{{2, 15}, {10, 15}}, {{17, 25}, {24, 25}}, {{27, 33}, {0, 0}}};
  ASSERT_EQ(Tree.Options.size(), Places.size());
  for (size_t I = 0; I < Places.size(); ++I) {
    EXPECT_EQ(Tree.Options[I].Range.Begin, Places[I].first.Begin);
    EXPECT_EQ(Tree.Options[I].Range.End, Places[I].first.End);
    EXPECT_EQ(Tree.Options[I].ValueRange.Begin, Places[I].second.Begin);
    EXPECT_EQ(Tree.Options[I].ValueRange.End, Places[I].second.End);
  }
}

TEST(Option, AllowMayBeGivenForSeveralChecks) {
  EXPECT_TRUE(same(parsed("; allow = a-b, strict, allow = a-c"),
                   {{}, {}, {option(OptionKind::Allow, "a-b"), option(OptionKind::Strict), option(OptionKind::Allow, "a-c")}}));
  expectError("; allow = a-b, allow = <a-b>", "the check 'a-b' is allowed twice");
}

TEST(Option, IsGivenOnce) {
  expectError("; warmup = 3, <warmup> = 3", "the option 'warmup' is given twice");
  expectError("; strict; outputs = keep; <strict>", "the option 'strict' is given twice");
}

TEST(Option, ThatIsUnknownIsAnError) {
  expectError("; <warmpu> = 3", "unknown option 'warmpu'; did you mean 'warmup'?");
  expectError("; <Strict>", "unknown option 'Strict'; did you mean 'strict'?");
  expectError("; <num_warmup_iters> = 3", "unknown option 'num_warmup_iters'; did you mean 'warmup'?");
  expectError("; <retain_graph>",
              "unknown option 'retain_graph'; expected outputs, pool, slots, warmup, step, strict, order, grads or allow, or a dimension "
              "variable, 'B in {1, 8, 64}'");
  expectError("; <foo> = 3",
              "unknown option 'foo'; expected outputs, pool, slots, warmup, step, strict, order, grads or allow, or a "
              "dimension variable, 'B in {1, 8, 64}'");
  expectErrors("; B <=> {1, 2}", {"expected 'in' before the values of the dimension variable 'B', got '='"});
  EXPECT_EQ(fixed("x: f32[B]; B={1, 2}, C = {1}"), "x: f32[B]; B in {1, 2}, C in {1}");
  EXPECT_EQ(fixed("; warmpu = 3, output = kepe"), "; warmup = 3, outputs = keep");
}

TEST(Option, WithAWrongValueIsAnError) {
  expectError("; warmup<>", "expected '=' after 'warmup', got the end of the annotation");
  expectError("; warmup <3>", "expected '=' after 'warmup', got '3'");
  expectError("; warmup<:> 3", "expected '=' after 'warmup', got ':'");
  expectError("; warmup = <,> strict", "expected an integer for 'warmup', got ','");
  expectError("; slots = <]>", "expected an integer for 'slots', got ']'");
  expectError("; slots = 2 <3>", "expected ',' or ';' after the option, got '3'");
  expectError("; strict <=> 1", "the option 'strict' takes no value");
  expectError("; pool = <3>", "expected a name for 'pool', got '3'");
  expectError("; pool = a<::>b", "expected ',' or ';' after the option, got '::'");
  expectError("; outputs = <3>", "expected keep, alias, clone or host for 'outputs', got '3'");
  expectError("; outputs = <cloned>", "unknown value 'cloned' for 'outputs'; did you mean 'clone'?");
  expectError("; outputs = <copy>", "unknown value 'copy' for 'outputs'; expected keep, alias, clone or host");
  expectError("; allow = <3>", "expected a name for 'allow', got '3'");
  expectError("; allow = a-<,> strict", "expected the rest of a check's name after '-', got ','");
  expectError("; grads = <outside>", "unknown value 'outside' for 'grads'; expected in_graph");
}

TEST(Option, IsExpectedAfterEachSeparator) {
  expectError(";<>", "expected an option after ';', got the end of the annotation");
  expectError("x: key;<>", "expected an option after ';', got the end of the annotation");
  expectError("; strict,<>", "expected an option after ',', got the end of the annotation");
  expectError("; strict;<>", "expected an option after ';', got the end of the annotation");
  expectError(";<;> strict", "expected an option after ';', got ';'");
  expectError("; <5>", "expected an option after ';', got '5'");
}

TEST(Option, BelongsAfterASemicolon) {
  expectError("x: key, <warmup> = 3", "expected ';' before the option 'warmup'");
  expectError("x: key, <strict>, warmup = 3", "expected ';' before the option 'strict'");
  expectError("x: key, <B> in {1, 2}", "expected ';' before the option 'B'");
  expectError("<outputs> = keep", "expected ';' before the option 'outputs'");
  EXPECT_EQ(fixed("x: key, warmup = 3, strict"), "x: key; warmup = 3, strict");
  EXPECT_EQ(fixed("outputs = keep"), "; outputs = keep");
}

TEST(Option, IsNoArgument) {
  expectError("x: key; <y>: key", "the argument 'y' is after ';', where only options are allowed");
  expectError("; strict, <y>: f32[2, 3], warmup = 3", "the argument 'y' is after ';', where only options are allowed");
}

TEST(DimVariable, TakesValuesAndPad) {
  EXPECT_TRUE(same(parsed("x: f32[B]; B in {1, 8 * k, 64}, T in {5} pad; R in {6} pad repeat, strict"),
                   {{field("x", tensor(DType::F32, {name("B")}))},
                    {{"B", {}, {integer(1), multiply(integer(8), name("k")), integer(64)}, std::nullopt, {}},
                     {"T", {}, {integer(5)}, Padding(), {}},
                     {"R", {}, {integer(6)}, Padding{PadFill::Repeat, {}}, {}}},
                    {option(OptionKind::Strict)}}));
}

TEST(DimVariable, TakesTheValuesOfCalls) {
  DimVariable Open{"B", {}, {}, std::nullopt, {}};
  Open.AtMost = multiply(integer(2), name("k"));
  EXPECT_TRUE(same(parsed("x: f32[B]; B in any 2 * k; any in {1}"),
                   {{field("x", tensor(DType::F32, {name("B")}))}, {Open, {"any", {}, {integer(1)}, std::nullopt, {}}}, {}}));
}

TEST(DimVariable, MayBeCalledLikeAnOption) { EXPECT_EQ(parsed("; step in {1}, step").Variables.at(0).Name, "step"); }

TEST(DimVariable, GivesThePlacesOfItsParts) {
  const Annotation Tree = parsed("; B in {1, 8} pad, T in {2} pad repeat");
  const DimVariable Variable = Tree.Variables.at(0);
  EXPECT_EQ(Variable.NameRange.Begin, 2U);
  EXPECT_EQ(Variable.NameRange.End, 3U);
  EXPECT_EQ(Variable.Pad->Range.Begin, 14U);
  EXPECT_EQ(Variable.Pad->Range.End, 17U);
  EXPECT_EQ(Variable.Range.Begin, 2U);
  EXPECT_EQ(Variable.Range.End, 17U);
  EXPECT_EQ(Tree.Variables.at(1).Pad->Range.Begin, 28U);
  EXPECT_EQ(Tree.Variables.at(1).Pad->Range.End, 38U);
}

TEST(DimVariable, WithoutRightValuesIsAnError) {
  expectError("; B in <1>", "expected '{' or 'any' before the values of 'B', got '1'");
  expectError("; B in any<>", "expected the most values that 'B' may take, as in 'any 4', got the end of the annotation");
  expectError("; B in any <{>1}", "expected the most values that 'B' may take, as in 'any 4', got '{'");
  expectError("; B in {<}>", "expected a value of 'B', got '}'");
  expectError("; B in {1, <}>", "expected a value of 'B', got '}'");
  expectError("; B in {1 <2>}", "expected '}' to close the values of 'B', got '2'");
  expectError("; B in {1<;> strict", "expected '}' to close the values of 'B', got ';'");
  expectError("; B in {1} pad <zero>", "expected ',' or ';' after the option, got 'zero'");
  expectError("; B in {1} <repeat>", "expected ',' or ';' after the option, got 'repeat'");
  expectError("; B in {1} <padd>", "expected ',' or ';' after the option, got 'padd'");
  expectError("; B in {1}, <B> in {2}", "the dimension variable 'B' is given twice");
}

}  // namespace
}  // namespace graphgen::annotation
