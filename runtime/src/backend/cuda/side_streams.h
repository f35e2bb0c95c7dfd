// SPDX-License-Identifier: Apache-2.0
//
// The streams beside the captured one on which a callable itself runs operators.
#pragma once

#include "backend/capture_lock.h"
#include "backend/cuda/order.h"
#include "backend/cuda/workspaces.h"
#include "watch/observer.h"

#include <c10/cuda/CUDAStream.h>

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace graphed::impl {

/// Eager work of the program may be on the same streams. So the graph multiplies with workspaces of its own there, and its replays come
/// after what such a stream has by then, and before what it gets later, as the work of the original function does.
class side_streams final : public observer {
 public:
  side_streams(order_domain& domain, c10::cuda::CUDAStream captured) : domain_(domain), captured_(captured) {}

  void before(const operator_call& call) override;

  /// The capture has ended: the workspaces, which are the graph's.
  shared_workspaces workspaces();
  /// Those that replays can be ordered with: of LibTorch's pool, since a stream of the program's own may be gone by then.
  std::vector<c10::cuda::CUDAStream> lasting() const;
  /// The capture has failed, unless workspaces() has ended it.
  void end();

 private:
  order_domain& domain_;
  const c10::cuda::CUDAStream captured_;
  mutable std::mutex mutex_;
  std::vector<std::pair<c10::cuda::CUDAStream, std::unique_ptr<workspace_watch>>> met_;
};

/// Around the work of a replay on `current`: it comes after what the side streams have now, and before what they get afterwards. While it
/// lives no callable is captured, as that capture may use these streams; it waits for one that is under way, as capture_lock does. A stream
/// that the program itself is capturing is left alone.
class replay_between {
 public:
  replay_between(const std::vector<c10::cuda::CUDAStream>& sides, c10::cuda::CUDAStream current);
  ~replay_between();
  replay_between& operator=(replay_between&&) = delete;

 private:
  const std::vector<c10::cuda::CUDAStream>& sides_;
  const c10::cuda::CUDAStream current_;
  std::optional<capture_lock> no_capture_;
};

}  // namespace graphed::impl
