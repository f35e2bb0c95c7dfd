// SPDX-License-Identifier: Apache-2.0
#include "torch/workspace_maps.h"

#include <c10/cuda/CUDAGuard.h>

#include <algorithm>
#include <shared_mutex>
#include <utility>

namespace graphed::impl {
namespace {

void drop_owner(void* context) { delete static_cast<workspace_owner*>(context); }

}  // namespace

bool has_workspace(cudaStream_t stream) {
  auto& [map, mutex] = at::cuda::cublas_handle_stream_to_workspace();
  const std::shared_lock<std::shared_mutex> lock(mutex);
  return std::any_of(map.begin(), map.end(), [stream](const auto& entry) { return belongs_to(entry.first, stream); });
}

void* make_workspaces(c10::cuda::CUDAStream stream) {
  const c10::cuda::CUDAStreamGuard on_stream(stream);
  void* const handle = at::cuda::getCurrentCUDABlasHandle();
  static_cast<void>(at::cuda::getCUDABlasLtWorkspace());
  return handle;
}

bool is_shared_workspace(const workspace_entry& entry) { return memory_of(entry).get_deleter() == &drop_owner; }

workspace_owner share_workspace(workspace_entry& entry) {
  if (is_shared_workspace(entry)) {
    return *static_cast<const workspace_owner*>(memory_of(entry).get_context());
  }
  auto shared = std::make_shared<workspace_entry>(std::move(entry));
  entry = own_workspace(shared);
  return shared;
}

workspace_entry own_workspace(const workspace_owner& workspace) {
  const at::DataPtr& shared = memory_of(*workspace);
  at::DataPtr memory(shared.get(), new workspace_owner(workspace), &drop_owner, shared.device());
#if GRAPHED_LIBTORCH_AT_LEAST(2, 13)
  return {std::move(memory), workspace->second};
#else
  return memory;
#endif
}

}  // namespace graphed::impl
