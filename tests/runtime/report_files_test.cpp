// SPDX-License-Identifier: Apache-2.0
//
// The report's files, made of values: what no program of the tests has, odd names, 2,000 operators, callables that were never called.
// report/report_test.py holds reports of programs against the schema.
#include "support/json_check.h"

#include <gtest/gtest.h>
#include <report/run/callable_report.h>

#include <string>
#include <string_view>
#include <vector>

namespace report_files_test {

using namespace graphed;
using namespace graphed::impl;
using graphed::testing::is_json;

constexpr const char* odd = "a \"b\" \\ </script><!--\x01\xFF";
constexpr const char* odd_in_json = R"("a \"b\" \\ </script><!--\u0001\ufffd")";
constexpr const char* odd_in_page = R"("a \"b\" \\ \u003c/script>\u003c!--\u0001\ufffd")";

reported_callable callable(std::string name) {
  reported_callable made;
  made.name = std::move(name);
  made.line = 0;
  made.samples = {{}};
  return made;
}

reported_process process(std::vector<reported_callable> callables) {
  reported_process made;
  made.number = 7;
  made.program = "app";
  made.written_at = "2026-11-26T21:38:41Z";
  made.collected = true;
  made.callables = std::move(callables);
  return made;
}

std::vector<reported_node> chain(std::size_t length, std::optional<double> microseconds = {}) {
  std::vector<reported_node> nodes;
  for (std::size_t i = 0; i < length; ++i) {
    graph_node node;
    node.name = "aten::addmm";
    node.result = "f32[64, 10]";
    node.after = i == 0 ? std::vector<std::size_t>() : std::vector<std::size_t>{i - 1};
    node.bytes_written = 2560;
    nodes.push_back({node, {"layers." + std::to_string(i) + ".weight"}, "layers." + std::to_string(i), microseconds});
  }
  return nodes;
}

/// A capture for each graph, all of one key.
reported_callable captured(const std::vector<std::vector<reported_node>>& graphs) {
  reported_callable made = callable("f");
  reported_key key{1, "", "captured", "", 0, {}, {}, {}, {}};
  for (const auto& nodes : graphs) {
    reported_capture capture;
    capture.work = reported_work{0, 1, 1, 0, nodes};
    key.captures.push_back(capture);
  }
  made.keys.push_back(key);
  return made;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto place = text.find(part); place != std::string_view::npos; place = text.find(part, place + 1)) {
    ++found;
  }
  return found;
}

std::string report_in(const std::string& page) {
  const std::string begin = "id=\"report\">", end = "</script>";
  const auto place = page.find(begin) + begin.size();
  return page.substr(place, page.find(end, place) - place);
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (part) << " is not in " << (text).substr(0, 2000)

TEST(JsonCheck, IsNoneOfThese) {
  for (const char* text : {"", "{", "[1,]", "{\"a\"}", "{\"a\": 1,}", "\"a", "1 2", "nul", "[\"\n\"]", "\"a\\\""}) {
    EXPECT_FALSE(is_json(text)) << text;
  }
  EXPECT_TRUE(is_json(R"( {"a": [1, -2.5e-7, {}, [], null, true], "\"": ""} )"));
}

TEST(ReportFiles, OfNoCallable) {
  const auto none = process({});
  EXPECT_TRUE(is_json(json_of(none)));
  EXPECT_HAS(
      json_of(none),
      R"("process": 7, "program": "app", "written_at": "2026-11-26T21:38:41Z", "collected": true, "devices": [], "callables_left_out": 0, "callables": [])");
  EXPECT_EQ(trace_of(none), R"({"displayTimeUnit": "ns", "traceEvents": []})");
  EXPECT_TRUE(is_json(report_in(page_of(none))));
}

TEST(ReportFiles, OfACallableThatNobodyCalled) {
  const std::string text = json_of(process({callable("f")}));
  EXPECT_TRUE(is_json(text)) << text;
  EXPECT_HAS(text, R"("statistics": {"calls": 0, )");
  EXPECT_HAS(text, R"("misses": [], "misses_by_parameter": [], "keys": [], "forgotten_keys": 0, "misses_without_key": [], "graphs": [], )");
  EXPECT_HAS(text, R"("first_calls": []})");
  EXPECT_EQ(text.find("\"file\""), std::string::npos) << "it has none";
}

TEST(ReportFiles, OddTexts) {
  auto it = captured({chain(1)});
  it.name = it.file = odd;
  it.line = 3;
  it.annotations = it.parameters = {odd};
  it.samples = {{{odd}, {odd}}};
  it.options = {{odd, odd}};
  it.stats.misses_by_parameter = {{std::string(odd) + ": shape", 1}};
  it.last_mismatches = {{std::string(odd) + ": shape", odd}};
  it.keys[0].words = it.keys[0].state = it.keys[0].refusal = odd;
  auto& capture = it.keys[0].captures[0];
  capture.pool = odd;
  capture.inputs = capture.results = {{odd, odd, "copied"}};
  auto& node = capture.work->nodes[0];
  node.node.name = node.node.result = node.module = odd;
  node.reads = node.node.kernels = {odd};
  node.place = {odd, odd, 3};
  it.first_calls = {{0, 1, 1, call_kind::miss, Miss::Shape}};
  const auto all = process({it});

  const std::string json = json_of(all), page = page_of(all), trace = trace_of(all);
  EXPECT_TRUE(is_json(json)) << json;
  EXPECT_GE(count(json, odd_in_json), 20u);
  EXPECT_HAS(json, std::string(R"({"parameter": )") + odd_in_json + R"(, "reason": "shape", "calls": 1, "last": )" + odd_in_json);
  EXPECT_TRUE(is_json(trace)) << trace;
  EXPECT_HAS(trace, R"(</script><!--\u0001\ufffd: miss")");

  EXPECT_EQ(count(page, "</script>"), count(page_of(process({})), "</script>")) << "a text ends the element";
  const std::string embedded = report_in(page);
  EXPECT_TRUE(is_json(embedded)) << embedded;
  EXPECT_GE(count(embedded, odd_in_page), 13u);
  EXPECT_EQ(embedded.find('<'), std::string::npos);
}

TEST(ReportFiles, EqualGraphsAreWrittenOnce) {
  auto other = chain(2);
  other[1].node.branch = 1;
  const std::string text = json_of(process({captured({chain(2, 3.5), chain(2, 4.5), other, chain(2)})}));
  EXPECT_TRUE(is_json(text)) << text;
  EXPECT_EQ(count(text, "\"nodes\": "), 2u) << "times are no difference";
  EXPECT_EQ(count(text, "\"graph\": 0"), 3u);
  EXPECT_EQ(count(text, "\"graph\": 1"), 1u);
  EXPECT_EQ(count(text, "\"microseconds\": 3.5"), 2u) << "of the first one";
  EXPECT_EQ(count(text, "\"branch\": "), 1u) << "the first one has none";
  EXPECT_HAS(text, R"({"operator": "aten::addmm", "result": "f32[64, 10]", "branch": 1, "after": [0], "reads": ["layers.1.weight"], )"
                   R"("module": "layers.1", "bytes_written": 2560})");
}

TEST(ReportFiles, DevicesOfCaptures) {
  auto it = captured({chain(1), chain(1), chain(1)});
  const reported_device gpu{"cuda:1", "NVIDIA H100 80GB HBM3", "9.0"};
  it.keys[0].captures[0].on = it.keys[0].captures[2].on = gpu;
  it.keys[0].captures[1].on = {"cpu", "CPU", ""};
  const std::string text = json_of(process({it, it}));
  EXPECT_TRUE(is_json(text)) << text;
  EXPECT_HAS(text, R"("devices": [{"device": "cpu", "name": "CPU"}, {"device": "cuda:1", "name": "NVIDIA H100 80GB HBM3", )"
                   R"("compute_capability": "9.0"}], )");
  EXPECT_EQ(count(text, R"({"device": "cuda:1", "bytes_held")"), 4u);
  EXPECT_HAS(page_of(process({it})), R"("name": "NVIDIA H100 80GB HBM3")");
}

TEST(ReportFiles, WhatIsUnknownIsLeftOut) {
  auto it = captured({{}});
  auto& capture = it.keys[0].captures[0];
  capture.work.reset();
  capture.backwards_are_known = false;
  it.is_busy = true;
  const std::string text = json_of(process({it}));
  EXPECT_TRUE(is_json(text)) << text;
  EXPECT_HAS(text, R"("is_busy": true)");
  for (const char* name : {"\"backwards\"", "\"bytes_saved\"", "\"graph\"", "\"refusal\""}) {
    EXPECT_EQ(text.find(name), std::string::npos) << name;
  }
}

TEST(ReportFiles, LargeGraphsAreCountedInThePage) {
  constexpr std::size_t large = 2000;
  std::vector<std::vector<reported_node>> graphs;
  for (std::size_t i = 0; i < 6; ++i) {
    graphs.push_back(chain(large + i));
  }
  const auto all = process({captured(graphs)});
  const std::string json = json_of(all), embedded = report_in(page_of(all));
  EXPECT_EQ(count(json, "\"operator\": "), 6 * large + 15) << "it has all";
  EXPECT_TRUE(is_json(embedded));
  EXPECT_LE(embedded.size(), 300'000u);
  EXPECT_GE(count(embedded, "\"left_out\": "), 3u);
  EXPECT_LT(count(embedded, "\"left_out\": "), 6u) << "some are drawn";
  EXPECT_HAS(embedded, R"({"nodes": [], "left_out": 2005})");
  EXPECT_EQ(count(embedded, "\"aten::addmm\""), 1u) << "each text once";
}

TEST(ReportFiles, TheTraceHasCallsAndCaptures) {
  auto it = captured({chain(3)});
  it.keys[0].captures[0].backwards = {{"result 0", 1, "", reported_work{5, 2, 2, 0, chain(2)}}, {"none", 0, "why", {}}};
  it.first_calls = {{0.5, 20, 1, call_kind::capture, {}}, {30, 1, 2, call_kind::replay, {}}};
  const std::string text = trace_of(process({it}));
  EXPECT_TRUE(is_json(text)) << text;
  EXPECT_HAS(text, R"({"name": "f: capture", "cat": "capture", "ph": "X", "ts": 0.5, "dur": 20, "pid": 7, "tid": 1, "args": {"call": 1, )");
  EXPECT_HAS(text, R"("name": "capture the forward", "cat": "graph")");
  EXPECT_HAS(
      text,
      R"("name": "capture the backward", "cat": "graph", "ph": "X", "ts": 5, "dur": 2, "pid": 7, "tid": 2, "args": {"operators": 2}})");
  EXPECT_EQ(count(text, "\"thread_name\""), 2u);
}

}  // namespace report_files_test
