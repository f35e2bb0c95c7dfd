// SPDX-License-Identifier: Apache-2.0
//
// Templates that render, and every way in which one fails.
#include "emit/Template.h"

#include <gtest/gtest.h>

using namespace graphgen::emit;
namespace json = llvm::json;

namespace {

TemplateSet withHead(std::map<std::string, std::string> Bodies) {
  TemplateSet Templates;
  for (const auto& [Name, Body] : Bodies) {
    Templates[Name] = "{{=<% %>=}}\n" + Body;
  }
  return Templates;
}

std::string rendered(const std::string& Body, const json::Object& Data = json::Object(), const std::string& Partial = "") {
  llvm::Expected<std::string> Text = renderTemplate(withHead({{"top", Body}, {"part", Partial}}), "top", Data);
  return Text ? *Text : "error: " + llvm::toString(Text.takeError());
}

std::string failure(const std::string& Body, const json::Object& Data = json::Object(), const std::string& Partial = "") {
  llvm::Expected<std::string> Text = renderTemplate(withHead({{"top", Body}, {"part", Partial}}), "top", Data);
  return Text ? "rendered: " + *Text : llvm::toString(Text.takeError());
}

TEST(Template, PrintsValuesAsTheyAre) {
  EXPECT_EQ(rendered("<% v %>\n", json::Object{{"v", "std::vector<a> & \"x\" <% v %> {{v}}"}}), "std::vector<a> & \"x\" <% v %> {{v}}\n");
  EXPECT_EQ(rendered("int a[2][2] = {{1, 2}, {3, 4}};\n"), "int a[2][2] = {{1, 2}, {3, 4}};\n");
  EXPECT_EQ(rendered("callable<<% v %>>\n", json::Object{{"v", "&f"}}), "callable<&f>\n");
}

TEST(Template, RepeatsSectionsAndLeavesTheirLinesOut) {
  const json::Object Data{{"list", json::Array{json::Object{{"n", "1"}}, json::Object{{"n", "2"}}}}, {"on", true}, {"off", false}};
  EXPECT_EQ(rendered("a\n<%# list %>\n  <% n %>;\n<%/ list %>\nb\n", Data), "a\n  1;\n  2;\nb\n");
  EXPECT_EQ(rendered("<%# on %>yes<%/ on %><%# off %>no<%/ off %><%^ off %>not off<%/ off %>\n", Data), "yesnot off\n");
  EXPECT_EQ(rendered("<%^ list %>empty<%/ list %>.\n", json::Object{{"list", json::Array{}}}), "empty.\n");
}

TEST(Template, IncludesPartialsInTheirScope) {
  const json::Object Data{{"list", json::Array{json::Object{{"n", "1"}}, json::Object{{"n", "2"}}}}};
  EXPECT_EQ(rendered("<%# list %>\n<%> part %>\n<%/ list %>\n", Data, "n = <% n %>\n"), "n = 1\nn = 2\n");
}

TEST(Template, PassesOverComments) { EXPECT_EQ(rendered("<%! what this is %>\na\n"), "a\n"); }

TEST(Template, FailsForUnknownKeys) {
  EXPECT_EQ(failure("a\n<% nope %>\n"), "template top:3: 'nope': unknown key");
  EXPECT_EQ(failure("<%# nope %><%/ nope %>"), "template top:2: 'nope': unknown key");
  EXPECT_EQ(failure("<%^ nope %><%/ nope %>"), "template top:2: 'nope': unknown key");
  EXPECT_EQ(failure("<%# off %><% nope %><%/ off %>", json::Object{{"off", false}}), "template top:2: 'nope': unknown key");
  EXPECT_EQ(failure("<%> part %>", json::Object{}, "\n\n<% nope %>"), "template part:4: 'nope': unknown key");
}

TEST(Template, DoesNotFallBackToTheOuterScope) {
  const json::Object Data{{"name", "outer"}, {"list", json::Array{json::Object{{"name", "a"}}, json::Object{}}}};
  EXPECT_EQ(failure("<%# list %><% name %><%/ list %>", Data), "template top:2: 'name': unknown key");
}

TEST(Template, FailsForValuesOfOtherKinds) {
  EXPECT_EQ(failure("<% v %>", json::Object{{"v", 64}}), "template top:2: 'v': the value is not a string");
  EXPECT_EQ(failure("<% v %>", json::Object{{"v", nullptr}}), "template top:2: 'v': the value is not a string");
  EXPECT_EQ(failure("<%# v %><%/ v %>", json::Object{{"v", "text"}}),
            "template top:2: 'v': the section is not a bool, an object or a list of objects");
  EXPECT_EQ(failure("<%# v %><%/ v %>", json::Object{{"v", json::Array{"text"}}}),
            "template top:2: 'v': an element of the section is not an object");
}

TEST(Template, FailsForUnknownTemplatesAndPartials) {
  EXPECT_EQ(failure("<%> nope %>"), "template top:2: 'nope': unknown partial");
  EXPECT_EQ(failure("<%> part %>", json::Object{}, "<%> top %>"), "template part:2: 'top': the partial includes itself");
  EXPECT_EQ(llvm::toString(renderTemplate({}, "nope", json::Object{}).takeError()), "no template is called 'nope'");
}

TEST(Template, FailsForUnbalancedSections) {
  const json::Object Data{{"a", true}, {"b", true}};
  EXPECT_EQ(failure("<%# a %>", Data), "template top:2: section 'a' is not closed");
  EXPECT_EQ(failure("\n<%/ a %>", Data), "template top:3: section 'a' is closed but was not opened");
  EXPECT_EQ(failure("<%# a %><%# b %><%/ a %><%/ b %>", Data), "template top:2: section 'a' is closed where 'b' is open");
}

TEST(Template, FailsForBrokenTags) {
  EXPECT_EQ(failure("<% a"), "template top:2: a tag is not closed");
  EXPECT_EQ(failure("<% %>"), "template top:2: '' is not the name of a key or partial");
  EXPECT_EQ(failure("<% a b %>"), "template top:2: 'a b' is not the name of a key or partial");
  EXPECT_EQ(failure("<%& a %>"), "template top:2: '& a' is not the name of a key or partial");
  EXPECT_EQ(failure("<% a.b %>"), "template top:2: 'a.b' is not the name of a key or partial");
  EXPECT_EQ(failure("<%=[ ]=%>"), "template top:2: '=[ ]=' is not the name of a key or partial");
}

TEST(Template, FailsWithoutItsFirstLine) {
  EXPECT_EQ(llvm::toString(renderTemplate({{"top", "text"}}, "top", json::Object{}).takeError()),
            "template top:1: the first line must be {{=<% %>=}}");
}

}  // namespace
