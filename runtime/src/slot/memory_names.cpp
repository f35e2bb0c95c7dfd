// SPDX-License-Identifier: Apache-2.0
#include "slot/memory_names.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

namespace graphed::impl {

void memory_names::add(const at::Tensor& tensor, const std::string& name, const std::string& module) {
  if (tensor.defined() && tensor.has_storage()) {
    by_storage_.insert_or_assign(tensor.storage().unsafeGetStorageImpl(), place{name, module});
  }
}

// Both are in the order of the program. Some operators that replays have are not nodes; of some nodes replays have none.
static void add_times(std::vector<reported_node>& nodes, const std::vector<operator_time>& times) {
  auto next = times.begin();
  for (auto& each : nodes) {
    const auto found = std::find_if(next, times.end(), [&](const operator_time& time) { return time.name == each.node.name; });
    if (found != times.end()) {
      each.microseconds = std::round(found->microseconds * 1000) / 1000;
      next = std::next(found);
    }
  }
}

static source_line place_of(const call_stack& stack) {
  auto lines = stack.users_lines(1, [](const source_line&) { return true; });
  return lines.empty() ? source_line() : std::move(lines.front());
}

std::vector<reported_node> memory_names::nodes_of(const captured_work& work) const {
  std::vector<reported_node> nodes;
  std::map<call_stack, source_line> places;
  for (const auto& node : work.nodes) {
    reported_node& one = nodes.emplace_back();
    one.node = node;
    const auto [place, is_new] = places.try_emplace(node.called_from);
    if (is_new) {
      place->second = place_of(node.called_from);
    }
    one.place = place->second;
    for (const void* const memory : node.reads) {
      const auto found = by_storage_.find(memory);
      if (found != by_storage_.end()) {
        one.reads.push_back(found->second.name);
        one.module = one.module.empty() ? found->second.module : one.module;
      }
    }
  }
  return nodes;
}

std::optional<reported_work> memory_names::report(const executable& executable) const {
  const captured_work* const work = executable.reported.get();
  if (work == nullptr) {
    return std::nullopt;
  }
  reported_work made{work->begin, work->microseconds, work->thread, work->bytes_added, nodes_of(*work)};
  add_times(made.nodes, executable.operator_times());
  return made;
}

}  // namespace graphed::impl
