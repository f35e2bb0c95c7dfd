// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/workspaces.h"

#include "backend/cuda/cleanup.h"

#include <mutex>
#include <shared_mutex>
#include <utility>

namespace graphed {

workspace_watch::workspace_watch(cudaStream_t stream, workspace_users users) : stream_(stream), users_(users) {
  if (users_ == workspace_users::graph) {
    set_aside();
    return;
  }
  for (std::size_t i = 0; i < workspace_maps().size(); ++i) {
    auto& [map, mutex] = *workspace_maps()[i];
    const std::shared_lock<std::shared_mutex> lock(mutex);
    for (const auto& [key, workspace] : map) {
      if (belongs_to(key, stream_)) {
        before_[i].insert(key);
      }
    }
  }
}

void workspace_watch::set_aside() {
  for (std::size_t i = 0; i < workspace_maps().size(); ++i) {
    auto& [map, mutex] = *workspace_maps()[i];
    const std::unique_lock<std::shared_mutex> lock(mutex);
    for (auto entry = map.begin(); entry != map.end();) {
      const auto current = entry++;
      if (belongs_to(current->first, stream_)) {
        set_aside_[i].insert(map.extract(current));
      }
    }
  }
}

void workspace_watch::put_back() noexcept {
  for (std::size_t i = 0; i < workspace_maps().size(); ++i) {
    auto& [map, mutex] = *workspace_maps()[i];
    const std::unique_lock<std::shared_mutex> lock(mutex);
    map.merge(set_aside_[i]);
  }
}

shared_workspaces workspace_watch::share() {
  shared_workspaces workspaces;
  for (auto* const entries : workspace_maps()) {
    const std::unique_lock<std::shared_mutex> lock(entries->mutex);
    for (auto entry = entries->map.begin(); entry != entries->map.end();) {
      const auto current = entry++;
      if (!belongs_to(current->first, stream_)) {
        continue;
      }
      workspaces.push_back(share_workspace(current->second));
      if (users_ == workspace_users::graph) {
        entries->map.erase(current);
      }
    }
  }
  shared_ = true;
  return workspaces;
}

workspace_watch::~workspace_watch() {
  if (shared_) {
    put_back();
    return;
  }
  warn_if_thrown("dropping the cuBLAS workspaces of a failed capture", [&] {
    std::vector<workspace_entry> dropped;  // freed after the lock
    for (std::size_t i = 0; i < workspace_maps().size(); ++i) {
      auto& [map, mutex] = *workspace_maps()[i];
      const std::unique_lock<std::shared_mutex> lock(mutex);
      for (auto entry = map.begin(); entry != map.end();) {
        if (!belongs_to(entry->first, stream_) || before_[i].count(entry->first) != 0) {
          ++entry;
          continue;
        }
        dropped.push_back(std::move(entry->second));
        entry = map.erase(entry);
      }
    }
  });
  put_back();
}

}  // namespace graphed
