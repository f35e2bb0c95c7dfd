// SPDX-License-Identifier: Apache-2.0
//
// trace.json: the first calls, and the captures, as events of Chrome's trace format, which Perfetto opens.
#include "report/json.h"
#include "report/run/callable_report.h"

#include <set>

namespace graphed::impl {
namespace {

class trace {
 public:
  explicit trace(int64_t process) : process_(process) {}

  void add(const std::string& name, const char* category, double begin, double microseconds, uint64_t thread, const json_object& details) {
    json_object event;
    event.add("name", name);
    event.add("cat", category);
    event.add("ph", "X");
    event.add("ts", begin);
    event.add("dur", microseconds);
    event.add("pid", process_);
    event.add("tid", thread);
    event.add("args", details);
    events_.add(event);
    threads_.insert(thread);
  }
  std::string text() {
    for (const uint64_t thread : threads_) {
      json_object event, details;
      details.add("name", "thread " + std::to_string(thread));
      event.add("name", "thread_name");
      event.add("ph", "M");
      event.add("pid", process_);
      event.add("tid", thread);
      event.add("args", details);
      events_.add(event);
    }
    json_object all;
    all.add("displayTimeUnit", "ns");
    all.add("traceEvents", events_);
    return all.text();
  }

 private:
  const int64_t process_;
  json_array events_;
  std::set<uint64_t> threads_;
};

void add_call(trace& to, const reported_callable& callable, std::size_t number) {
  constexpr const char* kinds[] = {"warm-up", "capture", "replay", "miss"};
  const noted_call& call = callable.first_calls[number];
  const char* const kind = kinds[static_cast<std::size_t>(call.kind)];
  json_object details;
  details.add("call", number + 1);
  details.add("kind", kind);
  if (call.miss) {
    details.add("reason", to_string(*call.miss));
  }
  to.add(callable.name + ": " + kind, kind, call.begin, call.microseconds, call.thread, details);
}

void add_work(trace& to, const std::string& name, const std::optional<reported_work>& work) {
  if (work) {
    json_object details;
    details.add("operators", work->nodes.size());
    to.add(name, "graph", work->begin, work->microseconds, work->thread, details);
  }
}

}  // namespace

std::string trace_of(const reported_process& process) {
  trace made(process.number);
  for (const auto& callable : process.callables) {
    for (std::size_t i = 0; i < callable.first_calls.size(); ++i) {
      add_call(made, callable, i);
    }
    for (const auto& key : callable.keys) {
      for (const auto& capture : key.captures) {
        add_work(made, "capture the forward", capture.work);
        for (const auto& backward : capture.backwards) {
          add_work(made, "capture the backward", backward.work);
        }
      }
    }
  }
  return made.text();
}

}  // namespace graphed::impl
