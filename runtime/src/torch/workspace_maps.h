// SPDX-License-Identifier: Apache-2.0
//
// The two process-wide maps, of cuBLAS and of cuBLASLt, in which LibTorch keeps workspaces by handle and stream, and entries of them that
// have several owners. An entry is memory, and from 2.13 on also its size. From 2.15 on they are empty unless caching is enabled.
#pragma once

#include "torch/libtorch_version.h"

#include <ATen/cuda/CUDAContextLight.h>
#include <c10/core/Allocator.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <array>
#include <memory>
#include <tuple>

namespace graphed::impl {

using workspace_key = std::tuple<void*, void*>;  ///< handle and stream
using workspace_map = decltype(at::cuda::WorkspaceMapWithMutex::map);
using workspace_entry = workspace_map::mapped_type;
using workspace_owner = std::shared_ptr<workspace_entry>;
/// Of each map, one that several owners share, while it has any.
using known_workspaces = std::array<std::weak_ptr<workspace_entry>, 2>;

inline std::array<at::cuda::WorkspaceMapWithMutex*, 2> workspace_maps() {
  return {&at::cuda::cublas_handle_stream_to_workspace(), &at::cuda::cublaslt_handle_stream_to_workspace()};
}

inline bool belongs_to(const workspace_key& key, cudaStream_t stream) { return std::get<1>(key) == static_cast<void*>(stream); }

#if GRAPHED_LIBTORCH_AT_LEAST(2, 13)
inline at::DataPtr& memory_of(workspace_entry& entry) { return entry.first; }
inline const at::DataPtr& memory_of(const workspace_entry& entry) { return entry.first; }
#else
inline at::DataPtr& memory_of(workspace_entry& entry) { return entry; }
inline const at::DataPtr& memory_of(const workspace_entry& entry) { return entry; }
#endif

/// `map`: its index among workspace_maps().
inline std::size_t bytes_of(const workspace_entry& entry, std::size_t map) {
#if GRAPHED_LIBTORCH_AT_LEAST(2, 13)
  static_cast<void>(map);
  return entry.second;
#else
  static_cast<void>(entry);
  return map == 0 ? at::cuda::getChosenWorkspaceSize() : at::cuda::getCUDABlasLtWorkspaceSize();
#endif
}

/// Whether operators look there for their workspaces. Where not, each allocates one for itself, in a capture from the graph's pool.
inline bool are_workspaces_cached() {
#if GRAPHED_LIBTORCH_AT_LEAST(2, 15)
  return at::cuda::isCUDABlasWorkspaceCachingEnabled();
#else
  return true;
#endif
}

/// Whether something multiplied on this stream, or is about to: both libraries use one handle, and every request for it gets cuBLAS's.
bool has_workspace(cudaStream_t stream);
/// Those of this thread on this stream, which is not being captured. Returns the thread's handle.
void* make_workspaces(c10::cuda::CUDAStream stream);

/// Whether share_workspace() made `entry`, or own_workspace().
bool is_shared_workspace(const workspace_entry& entry);
/// The map's entry becomes one owner among several. The caller has locked the map.
workspace_owner share_workspace(workspace_entry& entry);
/// An entry that is one more owner.
workspace_entry own_workspace(const workspace_owner& workspace);

}  // namespace graphed::impl
