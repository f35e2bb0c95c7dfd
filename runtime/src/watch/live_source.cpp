// SPDX-License-Identifier: Apache-2.0
#include "watch/live_source.h"

#include "watch/recorder.h"

#include <graphed/error.h>

#include <algorithm>
#include <utility>

namespace graphed::impl {

[[noreturn]] static void refuse_change() {
  throw CaptureError(
      "the callable changes an optimizer's options, for example in a scheduler's step(), which a replay would not do: move that out of the "
      "callable");
}

void live_sources::add(const std::shared_ptr<live_source>& source) {
  const auto found = std::find_if(used_.begin(), used_.end(), [&](const used& known) { return known.source.lock() == source; });
  if (found == used_.end()) {
    used_.push_back({source, source->frozen(), source->live()});
  } else if (found->frozen != source->frozen() || found->live != source->live()) {
    refuse_change();
  }
}

bool live_sources::unchanged() const {
  return std::all_of(used_.begin(), used_.end(), [](const used& known) {
    const auto source = known.source.lock();
    return source && source->frozen() == known.frozen;
  });
}

void live_sources::check_settled() const {
  for (const auto& known : used_) {
    const auto source = known.source.lock();
    if (!source || source->frozen() != known.frozen || source->live() != known.live) {
      refuse_change();
    }
  }
}

void live_sources::refresh(number_change change) const {
  for (const auto& known : used_) {
    if (const auto source = known.source.lock()) {
      source->refresh(change);
    }
  }
}

void live_sources::outdated() const {
  for (const auto& known : used_) {
    const auto source = known.source.lock();
    if (source && source->frozen() != known.frozen) {
      source->outdated();
    }
  }
}

static thread_local const replay_of_sources* in_replay = nullptr;

replay_of_sources::replay_of_sources(const live_sources& used, number_change change)
    : used_(used), change_(change), outer_(std::exchange(in_replay, this)) {}
replay_of_sources::~replay_of_sources() { in_replay = outer_; }

void replay_of_sources::look_again() {
  if (in_replay == nullptr || in_replay->used_.empty()) {
    return;
  }
  if (!in_replay->used_.unchanged()) {
    throw Error(
        "graphed::host: it changed what the graph has frozen of an optimizer, and the graph goes on with that: change it before the call, "
        "or give the group live(true)");
  }
  in_replay->used_.refresh(in_replay->change_);
}

void use(const std::shared_ptr<live_source>& source) {
  const auto seen = active_recording();
  if (seen != nullptr && seen->is_capture()) {
    seen->sources().add(source);
  }
}

}  // namespace graphed::impl
