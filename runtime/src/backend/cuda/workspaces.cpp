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

// Every known handle of the device gets the same workspaces on the stream: those of `known` or, where they are gone, one that the stream
// has.
void share_between_handles(c10::cuda::CUDAStream stream, known_workspaces& known) {
  const auto handles = handles_of(stream.device_index());
  std::vector<workspace_entry> dropped;  // freed after the locks
  for (std::size_t i = 0; i < workspace_maps().size(); ++i) {
    auto& [map, mutex] = *workspace_maps()[i];
    const std::unique_lock<std::shared_mutex> lock(mutex);
    workspace_owner shared = known[i].lock();
    if (!shared) {
      workspace_entry* const found = workspace_of(map, stream.stream());
      if (found == nullptr) {
        continue;
      }
      known[i] = shared = share_workspace(*found);
    }
    for (void* const handle : handles) {
      workspace_entry& entry = map[{handle, stream.stream()}];
      if (memory_of(entry).get() != memory_of(*shared).get()) {
        dropped.push_back(std::exchange(entry, own_workspace(shared)));
      }
    }
  }
}

void share_workspaces_on(c10::cuda::CUDAStream stream, known_workspaces& known) {
  share_between_handles(stream, known);
  make_workspaces(stream);
  share_between_handles(stream, known);  // with a handle that is new
}

}  // namespace

// A relaxed capture that multiplies all the same gets a handle and a workspace as it runs.
void prepare_cublas(order_domain& domain, capture_lane lane, bool is_relaxed) {
  if (!are_workspaces_cached()) {
    static_cast<void>(at::cuda::getCurrentCUDABlasHandle());
    return;
  }
  const bool nothing_multiplied = handles_of(domain.device()).empty();
  if (!is_relaxed || !nothing_multiplied) {
    share_workspaces_on(domain.capture_stream(lane), domain.workspaces());
  }
}

void share_workspaces_on(c10::cuda::CUDAStream stream) {
  known_workspaces of_the_stream;
  share_workspaces_on(stream, of_the_stream);
}

}  // namespace graphed::impl
