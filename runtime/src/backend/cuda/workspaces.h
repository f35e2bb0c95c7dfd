// SPDX-License-Identifier: Apache-2.0
//
// The scratch memory of cuBLAS and cuBLASLt, which LibTorch keeps in process-wide maps by handle and stream. A captured matmul goes on
// using it at each replay, so a graph must own it too: the user may clear the maps. All graphs of an order domain, which
// run one at a time, share one, 32 MiB on an H100: LibTorch gives each thread's handle another one on each stream.
#pragma once

#include "backend/cuda/order.h"
#include "torch/workspace_maps.h"

#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace graphed::impl {

struct shared_workspaces {
  void add(shared_workspaces&& others) {
    owners.insert(owners.end(), others.owners.begin(), others.owners.end());
    bytes.merge(others.bytes);
  }
  uint64_t total() const {
    return std::accumulate(bytes.begin(), bytes.end(), uint64_t{0}, [](uint64_t sum, const auto& each) { return sum + each.second; });
  }

  std::vector<workspace_owner> owners;
  std::map<const void*, uint64_t> bytes;  ///< by the memory, which several handles share
};

/// Who else uses the workspaces of a captured stream.
enum class workspace_users : uint8_t {
  stream,  ///< all graphs of the stream, which replay one at a time
  graph,   ///< no other owner: eager operators run on the stream too, so that the graph gets workspaces of its own, in its pool
};

/// Watches a capture on `stream`. Unless it is shared, the workspaces that were made meanwhile, in the pool, are dropped again.
class workspace_watch {
 public:
  workspace_watch(cudaStream_t stream, workspace_users users);
  ~workspace_watch();
  workspace_watch& operator=(workspace_watch&&) = delete;

  /// Every workspace of the stream, owned from now on by the holder of the result, and by the maps if they are the stream's.
  shared_workspaces share();

 private:
  const cudaStream_t stream_;
  const workspace_users users_;
  std::set<workspace_key> before_[2];  // in each of the two maps
  workspace_map set_aside_[2];         // the eager operators'
  bool shared_ = false;
};

/// Gives this thread its cuBLAS handle, and the domain's capture stream of this lane the workspaces of the domain's graphs, which every
/// known handle of the device shares there. The other lane is left alone: an eager backward may be running on its stream. A relaxed capture
/// (`is_relaxed`) gets neither where nothing has multiplied on the device yet: if it multiplies all the same, it makes both, in its pool.
/// Where each operator allocates its own workspace, the thread gets a handle alone. Called before a capture, by the holder of the capture
/// lock and of the lane.
void prepare_cublas(order_domain& domain, capture_lane lane, bool is_relaxed);

/// Gives this thread's handle workspaces on a stream of captures, which all handles of the device share. The stream is not being captured.
void share_workspaces_on(c10::cuda::CUDAStream stream);

}  // namespace graphed::impl
