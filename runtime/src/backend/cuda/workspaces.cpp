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

// A handle belongs to its thread, so that no other thread is about to use the entries. What is queued on the warm-ups' stream is done
// before a graph runs. The memory goes back to that stream only after the last graph that used it; the capture stream waits for that.
void move_from_warmups(order_domain& domain, c10::cuda::CUDAStream warmups) {
  const c10::cuda::CUDAStream captures = domain.capture_stream();
  void* const handle = make_workspaces(warmups);
  domain.follow(warmups.stream());
  for (auto* const entries : workspace_maps()) {
    const std::unique_lock<std::shared_mutex> lock(entries->mutex);
    auto entry = entries->map.extract({handle, warmups.stream()});
    if (!entry) {
      continue;
    }
    c10::cuda::CUDACachingAllocator::recordStream(memory_of(entry.mapped()), captures);
    entry.key() = {handle, captures.stream()};
    entries->map.insert(std::move(entry));
  }
}

// What this thread has on the warm-ups' stream: later warm-ups made it, or those of autograd's own thread. No other thread uses it.
void drop_from_warmups(warmup_stream& warmups, void* handle) {
  std::vector<workspace_entry> dropped;  // freed after the locks
  for (auto* const entries : workspace_maps()) {
    const std::unique_lock<std::shared_mutex> lock(entries->mutex);
    if (auto entry = entries->map.extract({handle, warmups.stream().stream()})) {
      dropped.push_back(std::move(entry.mapped()));
    }
  }
  if (!dropped.empty()) {
    warmups.use();
  }
}

// Another domain may have taken what the warm-ups had.
bool has_multiplied(const warmup_stream& warmups) {
  return has_workspace(warmups.stream().stream()) || order_domain::any_of(warmups.stream().device_index(), [](const order_domain& domain) {
           return has_workspace(domain.capture_stream().stream());
         });
}

}  // namespace

void prepare_cublas(order_domain& domain, capture_lane lane, bool is_relaxed) {
  if (!are_workspaces_cached()) {
    static_cast<void>(at::cuda::getCurrentCUDABlasHandle());
    return;
  }
  auto& warmups = warmup_stream::of(domain.device());
  if (!has_workspace(domain.capture_stream().stream())) {
    if (is_relaxed && warmups.was_used() && !has_multiplied(warmups)) {
      return;
    }
    move_from_warmups(domain, warmups.stream());
  }
  share_workspaces_on(domain.capture_stream());
  drop_from_warmups(warmups, make_workspaces(domain.capture_stream()));
  share_between_handles(domain.capture_stream(), domain.capture_stream(lane));
}

void share_workspaces_on(c10::cuda::CUDAStream stream) {
  share_between_handles(stream, stream);
  make_workspaces(stream);
  share_between_handles(stream, stream);  // with a handle that is new
}

}  // namespace graphed::impl
