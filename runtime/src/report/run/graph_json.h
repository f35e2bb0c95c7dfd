// SPDX-License-Identifier: Apache-2.0
//
// The graphs of report.json, and of the page.
#pragma once

#include "report/json.h"
#include "report/run/callable_report.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace graphed::impl {

/// How graphs are written: as the schema says, or short, for the page.
class graph_format {
 public:
  graph_format() = default;
  virtual ~graph_format() = default;
  graph_format& operator=(graph_format&&) = delete;

  virtual std::string text_of(const std::vector<reported_node>& nodes);
};

/// Texts are numbers, and a node is a list. Graphs after so many bytes are left out: only the number of their nodes is written.
class short_format final : public graph_format {
 public:
  explicit short_format(std::size_t bytes) : bytes_left_(bytes) {}

  std::string text_of(const std::vector<reported_node>& nodes) override;
  /// What the numbers stand for.
  json_array texts() const { return json_array_of(texts_); }

 private:
  std::size_t number_of(const std::string& text);
  std::vector<std::size_t> numbers_of(const std::vector<std::string>& texts);

  std::size_t bytes_left_;
  std::vector<std::string> texts_;
  std::map<std::string, std::size_t> numbers_;
};

/// The graphs of one callable. Two slots of one key have the same one, which is written once.
class graph_table {
 public:
  /// Keeps `format` by reference.
  explicit graph_table(graph_format& format) : format_(format) {}

  /// Its number.
  std::size_t add(const std::vector<reported_node>& nodes);
  std::string text() const { return "[" + graphs_ + "]"; }

 private:
  graph_format& format_;
  std::map<std::string, std::size_t> numbers_;
  std::string graphs_;
};

}  // namespace graphed::impl
