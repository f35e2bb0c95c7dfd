// SPDX-License-Identifier: Apache-2.0
//
// report.json: docs/report.schema.json.
#include "report/json.h"
#include "report/pages.h"
#include "report/remedies.h"
#include "report/run/callable_report.h"
#include "report/run/devices.h"
#include "report/run/graph_json.h"

#include <graphed/version.h>

namespace graphed::impl {
namespace {

void add_work(json_object& to, const std::optional<reported_work>& work, graph_table& graphs) {
  if (!work) {
    return;
  }
  to.add("capture_microseconds", work->microseconds);
  to.add("captured_at_microseconds", work->begin);
  to.add("bytes_added_to_pool", work->bytes_added);
  to.add("graph", graphs.add(work->nodes));
}

json_object json_of(const reported_tensor& tensor) {
  json_object made;
  made.add("name", tensor.name);
  made.add("type", tensor.type);
  made.add("kind", tensor.kind);
  made.add("bytes", tensor.bytes);
  if (tensor.written_back) {
    made.add("written_back", true);
  }
  if (tensor.saved) {
    made.add("saved_for_backward", true);
  }
  return made;
}

json_array json_of(const std::vector<reported_tensor>& tensors) {
  json_array made;
  for (const auto& each : tensors) {
    made.add(json_of(each));
  }
  return made;
}

json_object json_of(const reported_backward& backward, graph_table& graphs) {
  json_object made;
  made.add("gradients", backward.gradients);
  made.add("replays", backward.replays);
  if (!backward.refusal.empty()) {
    made.add("refusal", backward.refusal);
  }
  add_work(made, backward.work, graphs);
  return made;
}

json_object json_of(const reported_capture& capture, graph_table& graphs) {
  json_object made, outside, pool;
  made.add("device", capture.on.device);
  made.add("bytes_held", capture.bytes_held);
  made.add("bytes_pinned", capture.bytes_pinned);
  if (!capture.pool.empty()) {
    pool.add("name", capture.pool);
  }
  pool.add("bytes", capture.pool_bytes);
  made.add("pool", pool);
  made.add("bytes_of_workspaces", capture.workspace_bytes);
  if (capture.saved_bytes) {
    made.add("bytes_saved", *capture.saved_bytes);
  }
  made.add("inputs", json_of(capture.inputs));
  made.add("results", json_of(capture.results));
  outside.add("tensors", capture.closed_over);
  outside.add("written", capture.closed_over_written);
  outside.add("bytes", capture.closed_over_bytes);
  made.add("closed_over", outside);
  add_work(made, capture.work, graphs);
  if (capture.backwards_are_known) {
    json_array backwards;
    for (const auto& each : capture.backwards) {
      backwards.add(json_of(each, graphs));
    }
    made.add("backwards", backwards);
  }
  return made;
}

json_array json_of(const std::vector<reported_miss>& misses) {
  json_array made;
  for (const auto& miss : misses) {
    json_object one;
    one.add("reason", to_string(miss.reason));
    one.add("calls", miss.calls);
    if (!miss.why.empty()) {
      one.add("why", miss.why);
    }
    made.add(one);
  }
  return made;
}

void add_time(json_object& to, const char* name, const reported_time& time) {
  if (time.calls != 0) {
    json_object one;
    one.add("calls", time.calls);
    one.add("least_microseconds", time.least);
    to.add(name, one);
  }
}

json_object json_of(const reported_key& key, graph_table& graphs) {
  json_object made, times;
  made.add("number", key.number);
  made.add("words", key.words);
  made.add("state", key.state);
  if (!key.refusal.empty()) {
    made.add("refusal", key.refusal);
  }
  made.add("replays", key.replays);
  add_time(times, "warmup", key.warmup);
  add_time(times, "replay", key.replay);
  made.add("times", times);
  made.add("misses", json_of(key.misses));
  json_array captures;
  for (const auto& each : key.captures) {
    captures.add(json_of(each, graphs));
  }
  made.add("captures", captures);
  return made;
}

// Of all keys, by reason, with what to do; then by parameter.
json_array misses_of(const Statistics& stats) {
  json_array made;
  for (std::size_t i = 0; i < stats.misses.size(); ++i) {
    if (stats.misses[i] == 0) {
      continue;
    }
    const auto reason = static_cast<Miss>(i);
    const remedy remedy = remedy_of(reason);
    json_object one;
    one.add("reason", to_string(reason));
    one.add("calls", stats.misses[i]);
    if (!remedy.text.empty()) {
      one.add("what_to_do", remedy.text);
    }
    one.add("page", link_to_page(remedy.page));
    made.add(one);
  }
  return made;
}

json_array misses_by_parameter(const reported_callable& callable) {
  json_array made;
  for (const auto& [what, calls] : callable.stats.misses_by_parameter) {
    json_object one;
    const auto colon = what.rfind(": ");
    one.add("parameter", what.substr(0, colon));
    one.add("reason", what.substr(colon + 2));
    one.add("calls", calls);
    if (const auto last = callable.last_mismatches.find(what); last != callable.last_mismatches.end()) {
      one.add("last", last->second);
    }
    made.add(one);
  }
  return made;
}

json_array json_of(const std::vector<noted_call>& calls) {
  constexpr const char* kinds[] = {"warm-up", "capture", "replay", "miss"};
  json_array made;
  for (const auto& call : calls) {
    json_object one;
    one.add("kind", kinds[static_cast<std::size_t>(call.kind)]);
    if (call.miss) {
      one.add("reason", to_string(*call.miss));
    }
    one.add("begin_microseconds", call.begin);
    one.add("host_microseconds", call.microseconds);
    one.add("thread", call.thread);
    made.add(one);
  }
  return made;
}

json_object json_of(const reported_callable& callable, graph_format& format) {
  json_object made, options;
  made.add("name", callable.name);
  if (callable.line != 0) {
    made.add("file", callable.file);
    made.add("line", callable.line);
  }
  if (!callable.annotations.empty()) {
    made.add("annotations", json_array_of(callable.annotations));
  }
  made.add("parameters", json_array_of(callable.parameters));
  json_array samples;
  for (const auto& sample : callable.samples) {
    json_object one;
    one.add("arguments", json_array_of(sample.arguments));
    if (!sample.variables.empty()) {
      one.add("variables", json_array_of(sample.variables));
    }
    samples.add(one);
  }
  made.add("samples", samples);
  for (const auto& [name, value] : callable.options) {
    options.add(name, value);
  }
  made.add("options", options);
  made.add("has_ended", callable.has_ended);
  if (callable.is_busy) {
    made.add("is_busy", true);
  }
  made.add_text("statistics", callable.stats.to_json());
  made.add("misses", misses_of(callable.stats));
  made.add("misses_by_parameter", misses_by_parameter(callable));
  graph_table graphs(format);
  json_array keys;
  for (const auto& key : callable.keys) {
    keys.add(json_of(key, graphs));
  }
  made.add("keys", keys);
  made.add("forgotten_keys", callable.forgotten_keys);
  made.add("misses_without_key", json_of(callable.misses_without_key));
  made.add_text("graphs", graphs.text());
  made.add("first_calls", json_of(callable.first_calls));
  return made;
}

json_object json_of(const reported_process& process, graph_format& format) {
  json_object made;
  made.add("schema", 1);
  made.add("graphed", std::to_string(GRAPHED_VERSION_MAJOR) + "." + std::to_string(GRAPHED_VERSION_MINOR) + "." +
                          std::to_string(GRAPHED_VERSION_PATCH));
  made.add("process", process.number);
  if (!process.program.empty()) {
    made.add("program", process.program);
  }
  if (!process.written_at.empty()) {
    made.add("written_at", process.written_at);
  }
  made.add("collected", process.collected);
  made.add("devices", devices_of(process));
  made.add("callables_left_out", process.left_out);
  json_array callables;
  for (const auto& each : process.callables) {
    callables.add(json_of(each, format));
  }
  made.add("callables", callables);
  return made;
}

}  // namespace

std::string json_of(const reported_process& process) {
  graph_format usual;
  return json_of(process, usual).text();
}

std::string json_for_page(const reported_process& process, std::size_t bytes_of_graphs) {
  short_format format(bytes_of_graphs);
  json_object made = json_of(process, format);
  made.add("texts", format.texts());
  return made.text();
}

}  // namespace graphed::impl
