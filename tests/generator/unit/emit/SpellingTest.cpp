// SPDX-License-Identifier: Apache-2.0
//
// Names, literals and lists in generated code.
#include "emit/Spelling.h"

#include <gtest/gtest.h>

using namespace graphgen;
using namespace graphgen::emit;

namespace {

TEST(Spelling, EscapesLiterals) {
  EXPECT_EQ(literal("app::policy"), "\"app::policy\"");
  EXPECT_EQ(literal("a\"b\\c\nd\x7f"), "\"a\\\"b\\\\c\\nd\\177\"");
  EXPECT_EQ(literal("a?b?\?/c?\?\?"), "\"a?b?\\?/c?\\?\\?\"");
  EXPECT_EQ(literal("\xc3\xa9"), "\"\xc3\xa9\"");
}

TEST(Spelling, TurnsCamelCaseIntoSnakeCase) {
  EXPECT_EQ(snakeCase("NetImplForward"), "net_impl_forward");
  EXPECT_EQ(snakeCase("MLPForward2"), "mlp_forward2");
  EXPECT_EQ(snakeCase("F"), "f");
}

TEST(Spelling, NamesFromTheGlobalNamespace) {
  EXPECT_EQ(global("policy"), "::policy");
  EXPECT_EQ(global("app::impl::f"), "::app::impl::f");
  EXPECT_EQ(global("app::scale<app::Config, 3, Graph>::f"), "::app::scale<::app::Config, 3, ::Graph>::f");
  EXPECT_EQ(global("app::a$b<c$d, gr\xc3\xb6\xc3\x9f_>"), "::app::a$b<::c$d, ::gr\xc3\xb6\xc3\x9f_>");
  EXPECT_EQ(global("operator+"), "::operator+");
  EXPECT_EQ(global("app::S::operator()"), "::app::S::operator()");
  EXPECT_EQ(global("at::Tensor (const impl::T &, Graph *, int64_t, unsigned char) const"),
            "at::Tensor (const ::impl::T &, ::Graph *, int64_t, unsigned char) const");
}

TEST(Spelling, LeavesConstantsAsTheyAre) {
  EXPECT_EQ(global("-0x1.8p+3f"), "-0x1.8p+3f");
  EXPECT_EQ(global("static_cast<app::Mode>(-1)"), "static_cast<::app::Mode>(-1)");
  EXPECT_EQ(global("-std::numeric_limits<float>::infinity()"), "-std::numeric_limits<float>::infinity()");
  EXPECT_EQ(global("f<true, nullptr, 'a', '\\'', L'\\n', __fp16>"), "::f<true, nullptr, 'a', '\\'', L'\\n', __fp16>");
  EXPECT_EQ(global("f<'"), "::f<'");
}

TEST(Spelling, TellsVariablesFromTheNamesOfTables) {
  EXPECT_EQ(extent("8 * B + T2"), "8 * B + T2");
  EXPECT_EQ(extent("2 * a$b"), "2 * a$b_dim");
  EXPECT_EQ(extent("tensors * tensors_dim"), "tensors_dim * tensors_dim_dim");
}

TEST(Spelling, FindsNamesUnlikeOthers) {
  EXPECT_EQ(unlike("visit", {"obs", "w"}), "visit");
  EXPECT_EQ(unlike("visit", {"obs", "visit", "the_visit"}), "the_the_visit");
  EXPECT_EQ(unlike("element", {"element2"}), "the_element");
}

TEST(Spelling, BreaksLongLists) {
  EXPECT_EQ(commaList({"a", "b"}, 0, 4), "a, b");
  EXPECT_EQ(commaList({}, 200, 4), "");
  EXPECT_EQ(commaList({"a", "b"}, 136, 4), "a, b");
  EXPECT_EQ(commaList({"a", "b"}, 137, 4), "\n    a, b");
  EXPECT_EQ(commaList({std::string(60, 'a'), std::string(60, 'b')}, 30, 4),
            "\n    " + std::string(60, 'a') + ",\n    " + std::string(60, 'b'));
}

}  // namespace
