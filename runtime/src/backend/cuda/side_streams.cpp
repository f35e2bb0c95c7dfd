// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/side_streams.h"

#include "backend/cuda/cleanup.h"
#include "backend/cuda/stream.h"

#include <algorithm>

namespace graphed::impl {

void side_streams::before(const operator_call& /*call*/) {
  const auto current = c10::cuda::getCurrentCUDAStream(domain_.device());
  if (current == captured_ || domain_.owns(current) || !is_capturing(current.stream())) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (std::none_of(met_.begin(), met_.end(), [&](const auto& each) { return each.first == current; })) {
    met_.emplace_back(current, std::make_unique<workspace_watch>(current.stream(), workspace_users::graph));
  }
}

shared_workspaces side_streams::workspaces() {
  const std::lock_guard lock(mutex_);
  shared_workspaces all;
  for (auto& [stream, watch] : met_) {
    if (watch) {
      all.add(watch->share());
      watch.reset();
    }
  }
  return all;
}

std::vector<c10::cuda::CUDAStream> side_streams::lasting() const {
  const std::lock_guard lock(mutex_);
  std::vector<c10::cuda::CUDAStream> streams;
  for (const auto& [stream, watch] : met_) {
    if (!is_external(stream)) {
      streams.push_back(stream);
    }
  }
  return streams;
}

void side_streams::end() {
  const std::lock_guard lock(mutex_);
  met_.clear();
}

replay_between::replay_between(const std::vector<c10::cuda::CUDAStream>& sides, c10::cuda::CUDAStream current)
    : sides_(sides), current_(current) {
  if (!sides_.empty()) {
    no_capture_.emplace(longest_wait);
  }
  for (const auto& side : sides_) {
    if (!is_capturing(side.stream())) {
      order_streams(side, current_);
    }
  }
}

replay_between::~replay_between() {
  warn_if_thrown("ordering a callable's own streams behind its replay", [this] {
    for (const auto& side : sides_) {
      if (!is_capturing(side.stream())) {
        order_streams(current_, side);
      }
    }
  });
}

}  // namespace graphed::impl
