// SPDX-License-Identifier: Apache-2.0
//
// The two process-wide maps, of cuBLAS and of cuBLASLt, in which LibTorch keeps workspaces by handle and stream, and entries of them that
// have several owners.
#pragma once

#include <ATen/cuda/CUDAContextLight.h>
#include <c10/core/Allocator.h>
#include <cuda_runtime_api.h>

#include <array>
#include <memory>
#include <tuple>

namespace graphed {

using workspace_key = std::tuple<void*, void*>;  ///< handle and stream
using workspace_owner = std::shared_ptr<at::DataPtr>;

inline std::array<at::cuda::WorkspaceMapWithMutex*, 2> workspace_maps() {
  return {&at::cuda::cublas_handle_stream_to_workspace(), &at::cuda::cublaslt_handle_stream_to_workspace()};
}

inline bool belongs_to(const workspace_key& key, cudaStream_t stream) { return std::get<1>(key) == static_cast<void*>(stream); }

/// Whether share_workspace() made `entry`, or own_workspace().
bool is_shared_workspace(const at::DataPtr& entry);
/// The map's entry becomes one owner among several. The caller has locked the map.
workspace_owner share_workspace(at::DataPtr& entry);
/// An entry that is one more owner.
at::DataPtr own_workspace(const workspace_owner& workspace);

}  // namespace graphed
