// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/workspaces.h"

#include "backend/cuda/cleanup.h"
#include "backend/cuda/stream.h"

#include <c10/cuda/CUDACachingAllocator.h>

#include <mutex>
#include <shared_mutex>
#include <utility>

namespace graphed::impl {

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

shared_workspaces workspace_watch::share() {
  shared_workspaces workspaces;
  for_each_workspace(stream_, [&](std::size_t i, workspace_map& map, auto entry) {
    workspaces.bytes.emplace(memory_of(entry->second).get(), bytes_of(entry->second, i));
    workspaces.owners.push_back(share_workspace(entry->second));
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
  for (std::size_t i = 0; i < workspace_maps().size(); ++i) {
    auto& [map, mutex] = *workspace_maps()[i];
    const std::unique_lock<std::shared_mutex> lock(mutex);
    map.merge(set_aside_[i]);
  }
}

namespace {

std::set<void*> handles_of(c10::DeviceIndex device) {
  std::set<void*> handles;
  for (auto* const entries : workspace_maps()) {
    const std::shared_lock<std::shared_mutex> lock(entries->mutex);
    for (const auto& [key, workspace] : entries->map) {
      if (memory_of(workspace).device().index() == device) {
        handles.insert(std::get<0>(key));
      }
    }
  }
  return handles;
}

// The one that graphs have already, if any.
workspace_entry* workspace_of(workspace_map& map, cudaStream_t stream) {
  workspace_entry* found = nullptr;
  for (auto& [key, workspace] : map) {
    if (belongs_to(key, stream) && (found == nullptr || is_shared_workspace(workspace))) {
      found = &workspace;
    }
  }
  return found;
}

// What the handles have on one stream becomes what they have on the other one.
void share_between_handles(c10::cuda::CUDAStream captures, c10::cuda::CUDAStream also) {
  const cudaStream_t stream = captures.stream();
  const auto handles = handles_of(captures.device_index());
  std::vector<workspace_entry> dropped;  // freed after the locks
  for (auto* const entries : workspace_maps()) {
    const std::unique_lock<std::shared_mutex> lock(entries->mutex);
    workspace_entry* const found = workspace_of(entries->map, stream);
    if (found == nullptr) {
      continue;
    }
    const workspace_owner shared = share_workspace(*found);
    for (void* const handle : handles) {
      workspace_entry& entry = entries->map[{handle, also.stream()}];
      if (memory_of(entry).get() != memory_of(*shared).get()) {
        dropped.push_back(std::exchange(entry, own_workspace(shared)));
      }
    }
  }
}

}  // namespace

// A relaxed capture that multiplies all the same gets a handle and a workspace as it runs.
void prepare_cublas(order_domain& domain, capture_lane lane, bool is_relaxed) {
  if (!are_workspaces_cached()) {
    static_cast<void>(at::cuda::getCurrentCUDABlasHandle());
    return;
  }
  const bool nothing_multiplied = handles_of(domain.device()).empty();
  if (is_relaxed && nothing_multiplied) {
    return;
  }
  share_workspaces_on(domain.capture_stream());
  share_between_handles(domain.capture_stream(), domain.capture_stream(lane));
}

void share_workspaces_on(c10::cuda::CUDAStream stream) {
  share_between_handles(stream, stream);
  make_workspaces(stream);
  share_between_handles(stream, stream);  // with a handle that is new
}

}  // namespace graphed::impl
