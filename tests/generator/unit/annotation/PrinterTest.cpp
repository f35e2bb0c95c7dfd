// SPDX-License-Identifier: Apache-2.0
//
// Canonical text, and parse(print(tree)) == tree.
#include "annotation/Printer.h"

#include "MarkedText.h"
#include "RandomTrees.h"
#include "Trees.h"

namespace graphgen::annotation {
namespace {

TEST(Printer, WritesOneCanonicalText) {
  const std::vector<std::pair<const char*, const char*>> Cases = {
      {"", ""},
      {"obs:f32[64,128],w:f32[128,10]grad", "obs: f32[64, 128], w: f32[128, 10] grad"},
      {"x : i64 [ ]", "x: i64[]"},
      {"x: f32[0x40, 1'000u]", "x: f32[64, 1000]"},
      {"x: f32[ app :: k ]", "x: f32[app::k]"},
      {"x: f32[2] * 3 grad", "x: f32[2] grad * 3"},
      {"x: f32[2] * (3)", "x: f32[2] * 3"},
      {"x: f32[2] * (n+1)", "x: f32[2] * (n + 1)"},
      {"x: f32[2] * (-n)", "x: f32[2] * (-n)"},
      {"b:{a:f32[2],c:{i8[],u8[]}*2}", "b: {a: f32[2], c: {i8[], u8[]} * 2}"},
      {"k:key,e:const,l:live", "k: key, e: const, l: live"},
      {";strict;warmup=2,outputs=alias", "; strict, warmup = 2, outputs = alias"},
      {"x: f32[B]; strict; B in{1,2}pad", "x: f32[B]; B in {1, 2} pad, strict"},
      {";T in{5}pad   repeat;B in {2}", "; T in {5} pad repeat, B in {2}"},
      {"x: f32[2] \n host\tstatic", "x: f32[2] host static"},
  };
  for (const auto& [Text, Canonical] : Cases) {
    EXPECT_EQ(print(parsed(Text)), Canonical);
    EXPECT_EQ(print(parsed(Canonical)), Canonical);
  }
}

TEST(Printer, WritesTheFewestParentheses) {
  const std::vector<std::pair<Expr, const char*>> Cases = {
      {add(name("a"), multiply(name("b"), name("c"))), "a + b * c"},
      {multiply(add(name("a"), name("b")), name("c")), "(a + b) * c"},
      {subtract(subtract(name("a"), name("b")), name("c")), "a - b - c"},
      {subtract(name("a"), subtract(name("b"), name("c"))), "a - (b - c)"},
      {add(name("a"), add(name("b"), name("c"))), "a + (b + c)"},
      {divide(name("a"), multiply(name("b"), name("c"))), "a / (b * c)"},
      {remainder(divide(name("a"), name("b")), name("c")), "a / b % c"},
      {negate(add(name("a"), name("b"))), "-(a + b)"},
      {negate(multiply(name("a"), name("b"))), "-(a * b)"},
      {multiply(negate(name("a")), negate(integer(2))), "-a * -2"},
      {subtract(name("a"), negate(negate(name("b")))), "a - --b"},
  };
  for (const auto& [Tree, Text] : Cases) {
    EXPECT_EQ(print(Tree), Text);
  }
}

TEST(Printer, IsUndoneByTheParser) {
  RandomTrees Random(20260501);
  for (int Round = 0; Round < 3000; ++Round) {
    const Annotation Tree = Random.annotation();
    const std::string Text = print(Tree);
    const ParseResult Result = parse(Text);
    ASSERT_TRUE(Result.Tree.has_value()) << Text << ": " << Result.Errors[0].Message;
    ASSERT_TRUE(same(*Result.Tree, Tree)) << Text << "\n" << print(*Result.Tree);
  }
}

}  // namespace
}  // namespace graphgen::annotation
