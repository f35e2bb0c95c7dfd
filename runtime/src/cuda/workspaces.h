// SPDX-License-Identifier: Apache-2.0
//
// The scratch memory of cuBLAS and cuBLASLt, which LibTorch keeps in process-wide maps by handle and stream. A captured matmul goes on
// using it at each replay, so a graph must own it too: the user may clear the maps.
#pragma once

#include <c10/core/Allocator.h>
#include <cuda_runtime_api.h>

#include <memory>
#include <set>
#include <tuple>
#include <vector>

namespace graphed {

using shared_workspaces = std::vector<std::shared_ptr<at::DataPtr>>;

/// Creates this thread's cuBLAS handle and its workspaces for the current stream. In a capture they would be made in the graph's pool.
void prepare_cublas();

/// Watches a capture on `stream`. Unless it is shared, the workspaces that were made meanwhile, in the pool, are dropped again.
class workspace_watch {
 public:
  explicit workspace_watch(cudaStream_t stream);
  ~workspace_watch();
  workspace_watch(const workspace_watch&) = delete;
  workspace_watch& operator=(const workspace_watch&) = delete;

  /// Every workspace of the stream, owned from now on by the maps and by whoever holds the result.
  shared_workspaces share();

 private:
  using key = std::tuple<void*, void*>;
  const cudaStream_t stream_;
  std::set<key> before_[2];  // in each of the two maps
  bool shared_ = false;
};

}  // namespace graphed
