// SPDX-License-Identifier: Apache-2.0
#include "report/run/graph_json.h"

namespace graphed::impl {
namespace {

json_object json_of(const reported_node& each) {
  json_object node;
  node.add("operator", each.node.name);
  if (!each.node.result.empty()) {
    node.add("result", each.node.result);
  }
  if (each.node.branch != 0) {
    node.add("branch", each.node.branch);
  }
  if (!each.node.after.empty()) {
    node.add("after", json_array_of(each.node.after));
  }
  if (!each.reads.empty()) {
    node.add("reads", json_array_of(each.reads));
  }
  if (!each.module.empty()) {
    node.add("module", each.module);
  }
  if (!each.place.function.empty()) {
    node.add("function", each.place.function);
  }
  if (each.place.line != 0) {
    node.add("file", each.place.file);
    node.add("line", each.place.line);
  }
  node.add("bytes_written", each.node.bytes_written);
  if (each.microseconds) {
    node.add("microseconds", *each.microseconds);
  }
  if (!each.node.kernels.empty()) {
    node.add("kernels", json_array_of(each.node.kernels));
  }
  return node;
}

std::vector<reported_node> without_times(std::vector<reported_node> nodes) {
  for (auto& node : nodes) {
    node.microseconds.reset();
  }
  return nodes;
}

}  // namespace

std::string graph_format::text_of(const std::vector<reported_node>& nodes) {
  json_array all;
  for (const auto& node : nodes) {
    all.add(json_of(node));
  }
  json_object graph;
  graph.add("nodes", all);
  return graph.text();
}

std::string short_format::text_of(const std::vector<reported_node>& nodes) {
  json_array all;
  for (const auto& each : nodes) {
    json_array node;
    node.add(number_of(each.node.name));
    node.add(number_of(each.node.result));
    node.add(each.node.branch);
    node.add(json_array_of(each.node.after));
    node.add(json_array_of(numbers_of(each.reads)));
    node.add(number_of(each.module));
    node.add(each.node.bytes_written);
    node.add(number_of(each.place.function));
    node.add(number_of(each.place.file));
    node.add(each.place.line);
    if (each.microseconds || !each.node.kernels.empty()) {
      node.add(each.microseconds.value_or(-1));
      node.add(json_array_of(numbers_of(each.node.kernels)));
    }
    all.add(node);
  }
  json_object graph;
  const std::string text = all.text();
  if (text.size() > bytes_left_) {
    graph.add("nodes", json_array());
    graph.add("left_out", nodes.size());
  } else {
    bytes_left_ -= text.size();
    graph.add_text("nodes", text);
  }
  return graph.text();
}

std::size_t short_format::number_of(const std::string& text) {
  const auto [place, is_new] = numbers_.try_emplace(text, texts_.size());
  if (is_new) {
    texts_.push_back(text);
  }
  return place->second;
}

std::vector<std::size_t> short_format::numbers_of(const std::vector<std::string>& texts) {
  std::vector<std::size_t> numbers;
  for (const auto& text : texts) {
    numbers.push_back(number_of(text));
  }
  return numbers;
}

std::size_t graph_table::add(const std::vector<reported_node>& nodes) {
  const std::string text = graph_format().text_of(without_times(nodes));
  const auto [place, is_new] = numbers_.try_emplace(text, numbers_.size());
  if (is_new) {
    graphs_ += (graphs_.empty() ? "" : ", ") + format_.text_of(nodes);
  }
  return place->second;
}

}  // namespace graphed::impl
