// SPDX-License-Identifier: Apache-2.0
#include "workspaces.h"

#include "cleanup.h"

#include <ATen/cuda/CUDAContextLight.h>

#include <array>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace graphed {
namespace {

using owner = std::shared_ptr<at::DataPtr>;

std::array<at::cuda::WorkspaceMapWithMutex*, 2> maps() {
  return {&at::cuda::cublas_handle_stream_to_workspace(), &at::cuda::cublaslt_handle_stream_to_workspace()};
}

void drop_owner(void* context) { delete static_cast<owner*>(context); }

// The map's entry becomes one owner among several.
owner share_entry(at::DataPtr& entry) {
  if (const auto* shared = entry.cast_context<owner>(&drop_owner)) {
    return *shared;
  }
  void* const data = entry.get();
  const auto device = entry.device();
  auto shared = std::make_shared<at::DataPtr>(std::move(entry));
  entry = at::DataPtr(data, new owner(shared), &drop_owner, device);
  return shared;
}

bool belongs_to(const std::tuple<void*, void*>& key, cudaStream_t stream) { return std::get<1>(key) == static_cast<void*>(stream); }

}  // namespace

void prepare_cublas() {
  static_cast<void>(at::cuda::getCurrentCUDABlasHandle());
  static_cast<void>(at::cuda::getCUDABlasLtWorkspace());
}

workspace_watch::workspace_watch(cudaStream_t stream, workspace_owner owner) : stream_(stream), owner_(owner) {
  if (owner_ == workspace_owner::graph) {
    set_aside();
    return;
  }
  for (std::size_t i = 0; i < maps().size(); ++i) {
    auto& [map, mutex] = *maps()[i];
    const std::shared_lock<std::shared_mutex> lock(mutex);
    for (const auto& [key, workspace] : map) {
      if (belongs_to(key, stream_)) {
        before_[i].insert(key);
      }
    }
  }
}

void workspace_watch::set_aside() {
  for (std::size_t i = 0; i < maps().size(); ++i) {
    auto& [map, mutex] = *maps()[i];
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
  for (std::size_t i = 0; i < maps().size(); ++i) {
    auto& [map, mutex] = *maps()[i];
    const std::unique_lock<std::shared_mutex> lock(mutex);
    map.merge(set_aside_[i]);
  }
}

shared_workspaces workspace_watch::share() {
  shared_workspaces workspaces;
  for (auto* const entries : maps()) {
    const std::unique_lock<std::shared_mutex> lock(entries->mutex);
    for (auto entry = entries->map.begin(); entry != entries->map.end();) {
      const auto current = entry++;
      if (!belongs_to(current->first, stream_)) {
        continue;
      }
      workspaces.push_back(share_entry(current->second));
      if (owner_ == workspace_owner::graph) {
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
    std::vector<at::DataPtr> dropped;  // freed after the lock
    for (std::size_t i = 0; i < maps().size(); ++i) {
      auto& [map, mutex] = *maps()[i];
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
