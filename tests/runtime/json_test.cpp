// SPDX-License-Identifier: Apache-2.0
//
// Texts as strings of JSON documents.
#include <gtest/gtest.h>
#include <report/json.h>

#include <limits>
#include <string>
#include <vector>

namespace json_test {

using namespace graphed::impl;

TEST(JsonString, OfOrdinaryText) {
  EXPECT_EQ(json_string(""), R"("")");
  EXPECT_EQ(json_string("hs[1]: shape"), R"("hs[1]: shape")");
  EXPECT_EQ(json_string("a/b \x7f"), "\"a/b \x7f\"");
}

TEST(JsonString, QuotesAndBackslashes) {
  EXPECT_EQ(json_string(R"(b["obs"])"), R"("b[\"obs\"]")");
  EXPECT_EQ(json_string(R"(C:\new)"), R"("C:\\new")");
}

TEST(JsonString, ControlCharacters) {
  EXPECT_EQ(json_string("a\tb\nc"), R"("a\u0009b\u000ac")");
  EXPECT_EQ(json_string(std::string("\x00\x1f", 2)), R"("\u0000\u001f")");
}

TEST(JsonString, Utf8IsKept) {
  for (const char* text :
       {"gr\xC3\xB6\xC3\x9F"
        "e",
        "\xE5\xBD\xA2\xE7\x8A\xB6", "\xF0\x9F\x98\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF", "\xC2\x80"}) {
    EXPECT_EQ(json_string(text), '"' + std::string(text) + '"');
  }
}

TEST(JsonString, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(json_string("a\xFFz"), R"("a\ufffdz")");
  EXPECT_EQ(json_string("\x80"), R"("\ufffd")");
  EXPECT_EQ(json_string("\xC3"), R"("\ufffd")") << "cut off";
  EXPECT_EQ(json_string("\xE2\x82z"), R"("\ufffd\ufffdz")") << "cut off";
  EXPECT_EQ(json_string("\xC0\x80"), R"("\ufffd\ufffd")") << "longer than need be";
  EXPECT_EQ(json_string("\xE0\x9F\xBF"), R"("\ufffd\ufffd\ufffd")") << "longer than need be";
  EXPECT_EQ(json_string("\xF0\x8F\xBF\xBF"), R"("\ufffd\ufffd\ufffd\ufffd")") << "longer than need be";
  EXPECT_EQ(json_string("\xED\xA0\x80"), R"("\ufffd\ufffd\ufffd")") << "a surrogate";
  EXPECT_EQ(json_string("\xF4\x90\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")") << "above U+10FFFF";
}

TEST(JsonText, ObjectsAndArrays) {
  json_object inner, all;
  inner.add("text", "a \"b\"");
  inner.add("truth", true);
  json_array array = json_array_of(std::vector<int64_t>{1, -2});
  array.add(0.5);
  array.add(inner);
  all.add("count", std::numeric_limits<uint64_t>::max());
  all.add("array", array);
  all.add_text("given", "null");
  all.add("none", json_array());
  EXPECT_EQ(all.text(),
            R"({"count": 18446744073709551615, "array": [1, -2, 0.5, {"text": "a \"b\"", "truth": true}], "given": null, "none": []})");
}

}  // namespace json_test
