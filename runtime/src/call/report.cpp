// SPDX-License-Identifier: Apache-2.0
//
// What the report says of one callable.
#include "call/report.h"

#include "call/admission.h"
#include "report/run/files.h"
#include "report/text.h"

#include <chrono>
#include <sstream>
#include <thread>

namespace graphed::impl {
namespace {

// A call holds the lock for microseconds; one that exit() has ended holds it for good.
bool lock_soon(std::unique_lock<quiet_mutex>& lock) {
  const auto end = report_clock::now() + std::chrono::milliseconds(500);
  while (!lock.try_lock()) {
    if (report_clock::now() >= end) {
      return false;
    }
    std::this_thread::yield();
  }
  return true;
}

reported_time time_of(const call_times& times, timed_kind kind) {
  const auto figure = times.known(kind);
  return figure.calls == 0 ? reported_time() : reported_time{figure.calls, figure.least};
}

std::vector<reported_miss> misses_of(const misses_by_reason& misses) {
  std::vector<reported_miss> made;
  for (const auto& [reason, counted] : misses) {
    made.push_back({reason, counted.calls, counted.why});
  }
  return made;
}

reported_key report_of(const entry& key, const memory_names& parameters) {
  reported_key made;
  made.number = key.number;
  made.words = key.words.all;
  made.state = state_of(key);
  made.refusal = key.tries.refusal;
  made.replays = key.service.replays;
  made.warmup = time_of(key.service.times, timed_kind::warmup);
  made.replay = time_of(key.service.times, timed_kind::replay);
  made.misses = misses_of(key.service.misses);
  for (const auto& each : key.slots) {
    made.captures.push_back(report_of(*each.serving, parameters));
  }
  return made;
}

reported_sample report_of(const SampleSpec& sample) {
  reported_sample made;
  for (const auto& tensor : sample.tensors) {
    made.arguments.push_back(annotated(tensor));
  }
  for (const auto& padded : sample.padded) {
    made.variables.push_back(padded.name + std::string(" = ") + std::to_string(padded.size) + ", padded");
  }
  for (const auto& open : sample.open) {
    made.variables.push_back(open.name + std::string(" in any ") + std::to_string(open.at_most));
  }
  return made;
}

std::vector<std::string> lines_of(const char* text) {
  std::vector<std::string> lines;
  std::istringstream all(text == nullptr ? "" : text);
  for (std::string line; std::getline(all, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::map<std::string, std::string> options_of(const CallableSpec& spec) {
  constexpr const char* outputs[] = {"keep", "alias", "clone", "host"};
  std::map<std::string, std::string> options{{"warmup", std::to_string(spec.warmup)},
                                             {"slots", std::to_string(spec.slots)},
                                             {"outputs", outputs[static_cast<std::size_t>(spec.outputs)]}};
  const auto add_if = [&](bool is_set, const char* name, const char* value) {
    if (is_set) {
      options.emplace(name, value);
    }
  };
  add_if(spec.strict, "strict", "true");
  add_if(spec.step, "step", "true");
  add_if(spec.grads_in_graph, "grads", "in_graph");
  add_if(spec.pool != nullptr, "pool", spec.pool);
  return options;
}

std::vector<reported_callable> report_all() {
  std::vector<reported_callable> all;
  for (const auto& engine : living_engines()) {
    all.push_back(engine->report());
  }
  return all;
}

}  // namespace

reported_callable engine_state::report() {
  reported_callable made;
  made.name = spec.name;
  made.file = spec.line == 0 ? "" : spec.file;
  made.line = spec.line;
  made.annotations = lines_of(spec.annotation);
  for (const auto& tensor : spec.samples.front().tensors) {
    made.parameters.emplace_back(tensor.name);
  }
  for (const auto& sample : spec.samples) {
    made.samples.push_back(report_of(sample));
  }
  made.options = options_of(spec);
  made.stats = counts->stats();
  made.first_calls = first_calls.all();
  std::unique_lock lock(mutex, std::defer_lock);
  made.is_busy = !lock_soon(lock);
  if (made.is_busy) {
    return made;
  }
  for (const auto& key : past.keys.by_number()) {
    made.keys.push_back(report_of(*key, past.parameters));
  }
  made.forgotten_keys = past.keys.count_of_forgotten();
  made.misses_without_key = misses_of(past.misses_without_key);
  made.last_mismatches = past.last_mismatches;
  return made;
}

engine_state::~engine_state() {
  try {
    if (is_reported && is_collecting()) {
      auto ended = report();
      ended.has_ended = true;
      keep_report(std::move(ended));
    }
  } catch (const std::exception&) {  // it is not in the report
  }
}

void report_living_callables() { set_report_source(&report_all); }

}  // namespace graphed::impl
