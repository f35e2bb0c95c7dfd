// SPDX-License-Identifier: Apache-2.0
//
// What captures would hold: they are made for an engine that is dropped.
#include "call/engine_state.h"
#include "report/text.h"

#include <graphed/estimate.h>

#include <algorithm>
#include <ostream>
#include <utility>

namespace graphed {
namespace impl {
namespace {

struct spec_without_pool {
  std::shared_ptr<const CallableSpec> original;  ///< has what the copy refers to
  CallableSpec copy;
};

std::shared_ptr<const CallableSpec> without_pool(const std::shared_ptr<const CallableSpec>& original) {
  auto made = std::make_shared<spec_without_pool>(spec_without_pool{original, *original});
  made->copy.pool = nullptr;
  return {made, &made->copy};
}

Estimate::Capture estimate_of(const reported_key& key, const reported_capture& capture) {
  Estimate::Capture made;
  made.key = key.words;
  made.bytes_held = capture.bytes_held;
  made.bytes_pinned = capture.bytes_pinned;
  made.bytes_of_workspaces = capture.workspace_bytes;
  for (const auto& input : capture.inputs) {
    made.bytes_of_inputs += input.kind == "copied" ? input.bytes : 0;
  }
  for (const auto& result : capture.results) {
    made.bytes_of_results += result.bytes;
  }
  return made;
}

}  // namespace

Engine Engine::apart() const {
  const engine_state& own = require_state(state_);
  return Engine(std::make_shared<engine_state>(without_pool(own.description), own.module, nullptr, own.object, /*is_reported=*/false));
}

Estimate Engine::estimate() const {
  Estimate made;
  for (const auto& key : require_state(state_).report().keys) {
    for (const auto& capture : key.captures) {
      made.captures.push_back(estimate_of(key, capture));
    }
  }
  return made;
}

}  // namespace impl

static uint64_t sum_of(const std::vector<Estimate::Capture>& captures, uint64_t Estimate::Capture::* bytes) {
  uint64_t all = 0;
  for (const auto& capture : captures) {
    all += capture.*bytes;
  }
  return all;
}

uint64_t Estimate::bytes_held() const { return sum_of(captures, &Capture::bytes_held); }
uint64_t Estimate::bytes_pinned() const { return sum_of(captures, &Capture::bytes_pinned); }

std::ostream& operator<<(std::ostream& out, const Estimate& estimate) {
  using impl::human_bytes;
  uint64_t workspaces = 0;
  for (const auto& capture : estimate.captures) {
    out << (capture.key.empty() ? "captures" : capture.key) << ": " << human_bytes(capture.bytes_held) << ", of them inputs "
        << human_bytes(capture.bytes_of_inputs) << ", results " << human_bytes(capture.bytes_of_results) << '\n';
    workspaces = std::max(workspaces, capture.bytes_of_workspaces);
  }
  return out << estimate.captures.size() << (estimate.captures.size() == 1 ? " capture: " : " captures: ")
             << human_bytes(estimate.bytes_held()) << ", workspaces " << human_bytes(workspaces)
             << (estimate.bytes_pinned() == 0 ? "" : ", pinned " + human_bytes(estimate.bytes_pinned())) << '\n';
}

}  // namespace graphed
