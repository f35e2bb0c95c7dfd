// SPDX-License-Identifier: Apache-2.0
//
// Memory that several graphs share.
//
// Python: torch.cuda.graph_pool_handle, torch.cuda.MemPool, torch.cuda.use_mem_pool. Differences: a handle belongs to a device and owns a
// share of the memory, so handles, graphs and tensors may be destroyed in any order. Graphs of one pool never replay at the same time, so
// they cannot overwrite one another's temporaries, whatever their streams. On a CPU there are no private pools: the same calls work, and
// count the tensors that captures made.
#pragma once

#include <graphed/export.h>

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <utility>

namespace graphed {

namespace impl {
class Engine;
class pool;
}  // namespace impl

/// A pool for captures to allocate from: a copy is the same pool. The next capture into the pool uses the memory of destroyed captured
/// tensors again. So replay in the order of the captures. Read a graph's results before another graph of the pool replays, unless the
/// result was alive when that one was captured. While a replay is in a host part (graphed::host), other replays of the pool wait, and that
/// host part cannot replay a graph of the pool itself: ExecutableGraph::replay. Thread safety: any thread may call const members. One
/// capture at a time allocates from a pool.
class GRAPHED_API PoolHandle {
 public:
  /// No pool: where one is asked for, a new one is made.
  PoolHandle() = default;
  explicit operator bool() const noexcept { return pool_ != nullptr; }
  bool operator==(const PoolHandle& other) const noexcept { return pool_ == other.pool_; }
  bool operator!=(const PoolHandle& other) const noexcept { return !(*this == other); }

  /// Throws graphed::Error without a pool.
  c10::Device device() const;
  /// What the pool holds now. On CUDA: the bytes that the caching allocator has reserved for it, without pinned host memory. On a CPU: the
  /// bytes of the tensors that its graphs made. 0 without a pool.
  uint64_t bytes_held() const;

 private:
  friend class Graph;
  friend class impl::Engine;
  friend class MemPoolGuard;
  friend GRAPHED_API PoolHandle graph_pool_handle(c10::Device device);
  PoolHandle(std::shared_ptr<impl::pool> pool, c10::Device device) : pool_(std::move(pool)), device_(device) {}

  std::shared_ptr<impl::pool> pool_;
  c10::Device device_{c10::kCPU};
};

/// A new pool. Without an index, on the current device of the type. Throws graphed::Error where nothing captures on the device.
GRAPHED_API PoolHandle graph_pool_handle(c10::Device device);

/// A pool that eager operators can allocate from as well, inside a MemPoolGuard scope. Its memory lives until the pool, every handle, every
/// graph captured into it and every tensor in it are gone. Python's allocator, use_on_oom and no_split do not exist.
class GRAPHED_API MemPool {
 public:
  /// As graph_pool_handle.
  explicit MemPool(c10::Device device) : handle_(graph_pool_handle(device)) {}

  /// For captures.
  const PoolHandle& handle() const { return handle_; }
  c10::Device device() const { return handle_.device(); }
  uint64_t bytes_held() const { return handle_.bytes_held(); }

 private:
  PoolHandle handle_;
};

/// Within its scope, this thread allocates on the pool's device from the pool; threads that it starts, and autograd's, allocate as before.
/// Throws c10::Error while a capture, or another scope, allocates from the pool. No effect on a CPU. Ends on the thread that it began on.
class GRAPHED_API MemPoolGuard {
 public:
  /// Throws graphed::Error for a MemPool that was moved from.
  [[nodiscard]] explicit MemPoolGuard(const MemPool& pool);
  MemPoolGuard& operator=(MemPoolGuard&&) = delete;

 private:
  std::shared_ptr<void> route_;
};

}  // namespace graphed
