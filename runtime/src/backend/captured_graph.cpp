// SPDX-License-Identifier: Apache-2.0
#include "backend/captured_graph.h"

#include "backend/staging.h"
#include "backend/stream_hook.h"
#include "watch/run_in_hand.h"

#include <graphed/error.h>

#include <atomic>
#include <optional>
#include <utility>

namespace graphed::impl {
namespace {

graph_identity next_identity(c10::Device device) {
  static std::atomic<uint64_t> number{0};
  return {++number, device};
}

void report(GraphEvent event, const graph_identity& identity, bool failed = false) noexcept {
  notify({event, identity.number, identity.device, failed});
}

template <class F>
void for_each_group(const std::shared_ptr<const held_groups>& held, F&& f) {
  if (held) {
    for (const auto& group : held->groups) {
      f(*group);
    }
  }
}

class replay_in_hand final : public run_in_hand {
 public:
  /// Keeps a reference.
  explicit replay_in_hand(const held_groups& held) : held_(held) {}
  std::string words() const override { return "a replay of '" + held_.whose + "'"; }
  std::shared_ptr<const made_callable> callable() const override { return held_.callable; }

 private:
  const held_groups& held_;
};

[[noreturn]] void refuse_raw(const graph_identity& identity, const char* type) {
  throw Error("graphed: a graph on device " + identity.device.str() + " is a tape of operators: there is no " + type);
}

}  // namespace

executable::executable(graph_identity identity) : identity_(identity) { report(GraphEvent::Instantiate, identity_); }

executable::~executable() { report(GraphEvent::Destroy, identity_); }

void executable::replay() {
  has_begun_.store(false, std::memory_order_relaxed);
  report(GraphEvent::ReplayBegin, identity_);
  std::optional<replay_in_hand> with_ranks;
  try {
    if (groups_) {
      with_ranks.emplace(*groups_);
    }
    for_each_group(groups_, [this](rank_group& group) { group.begin_launch(groups_->whose); });
    tell_use(StreamUse::Launch, identity_.device);
    run();
    tell_use(StreamUse::Launched, identity_.device);
    for_each_group(groups_, [](rank_group& group) { group.end_launch(); });
  } catch (...) {
    report(GraphEvent::ReplayEnd, identity_, /*failed=*/true);
    throw;
  }
  report(GraphEvent::ReplayEnd, identity_);
}

uint64_t executable::copy_in(std::size_t /*place*/, const at::Tensor& to, const at::Tensor& from) { return copy_value(to, from); }

uint64_t executable::fill_in(std::size_t /*place*/, const at::Tensor& to, const c10::Scalar& value) {
  fill_value(to, value);
  return to.nbytes();
}

uint64_t executable::copy_in_from_host(std::size_t place, const at::Tensor& to, const at::Tensor& from) { return copy_in(place, to, from); }

CUgraphExec_st* executable::raw() const { refuse_raw(identity_, "cudaGraphExec_t"); }

std::unique_ptr<executable> captured_graph::instantiate() {
  auto made = make_executable();
  made->groups_ = groups_;
  made->turns_ = turns_;
  return made;
}

void captured_graph::hold(const rank_groups& groups, const std::string& whose) {
  if (groups.empty()) {
    return;
  }
  const run_in_hand* const run = run_in_hand::current();
  auto callable = run == nullptr ? nullptr : run->callable();
  if (callable && callable->name != whose) {  // a graph that a callable captures by itself
    callable = nullptr;
  }
  auto held = std::make_shared<held_groups>(held_groups{whose, std::move(callable), groups, {}});
  for (const auto& group : groups) {
    held->holds.push_back(group->hold(whose));
  }
  groups_ = std::move(held);
}

CUgraph_st* captured_graph::raw() const { refuse_raw(identity_, "cudaGraph_t"); }

open_capture::open_capture(c10::Device device, std::shared_ptr<replay_turns> turns)
    : identity_(next_identity(device)), turns_(std::move(turns)) {
  report(GraphEvent::CaptureBegin, identity_);
}

// The last to be destroyed: by now the backend has put everything back.
open_capture::~open_capture() { report(GraphEvent::CaptureEnd, identity_, /*failed=*/!ended_); }

std::unique_ptr<captured_graph> open_capture::end() {
  auto graph = finish();
  graph->turns_ = turns_;
  ended_ = true;
  return graph;
}

}  // namespace graphed::impl
