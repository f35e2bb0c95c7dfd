// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/workspaces.h"

#include "backend/cuda/cleanup.h"

#include <mutex>
#include <shared_mutex>
#include <utility>

namespace graphed {

// Calls `visit` with each map's index, the map, and an entry of the stream in it, which may be taken out.
template <class Visit>
static void for_each_workspace(cudaStream_t stream, Visit&& visit) {
  for (std::size_t i = 0; i < workspace_maps().size(); ++i) {
    auto& [map, mutex] = *workspace_maps()[i];
    const std::unique_lock<std::shared_mutex> lock(mutex);
    for (auto entry = map.begin(); entry != map.end();) {
      const auto current = entry++;
      if (belongs_to(current->first, stream)) {
        visit(i, map, current);
      }
    }
  }
}

workspace_watch::workspace_watch(cudaStream_t stream, workspace_users users) : stream_(stream), users_(users) {
  for_each_workspace(stream_, [this](std::size_t i, workspace_map& map, auto entry) {
    if (users_ == workspace_users::graph) {
      set_aside_[i].insert(map.extract(entry));
    } else {
      before_[i].insert(entry->first);
    }
  });
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
  for_each_workspace(stream_, [&](std::size_t /*i*/, workspace_map& map, auto entry) {
    workspaces.push_back(share_workspace(entry->second));
    if (users_ == workspace_users::graph) {
      map.erase(entry);
    }
  });
  shared_ = true;
  return workspaces;
}

workspace_watch::~workspace_watch() {
  if (!shared_) {
    warn_if_thrown("dropping the cuBLAS workspaces of a failed capture", [&] {
      std::vector<workspace_entry> dropped;  // freed after the lock
      for_each_workspace(stream_, [&](std::size_t i, workspace_map& map, auto entry) {
        if (before_[i].count(entry->first) == 0) {
          dropped.push_back(std::move(entry->second));
          map.erase(entry);
        }
      });
    });
  }
  put_back();
}

}  // namespace graphed
