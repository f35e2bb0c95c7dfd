// SPDX-License-Identifier: Apache-2.0
//
// graphed::ExecutableGraph: a captured graph that can run.
//
// Python: the half of torch.cuda.CUDAGraph that is there after instantiate(). Differences: it is an object of its own, made by
// Graph::instantiate() alone; replays of one pool are ordered one after another, whatever their streams; it keeps the memory of the
// tensors that the captured operators used, also while a replay in flight reads it; a replay inside a capture is refused before it can
// break that capture.
#pragma once

#include <graphed/export.h>
#include <graphed/pool.h>

#include <memory>

struct CUgraphExec_st;

namespace graphed {

namespace impl {
class executable;
}

/// Thread safety: replay() from any thread, on one object too; what moves, assigns or resets it is the caller's to order.
class GRAPHED_API ExecutableGraph {
 public:
  /// Holds no graph.
  ExecutableGraph() = default;
  ExecutableGraph(ExecutableGraph&&) noexcept = default;
  ExecutableGraph& operator=(ExecutableGraph&&) noexcept = default;

  explicit operator bool() const noexcept { return work_ != nullptr; }

  /// Runs what was captured, on the addresses that it was captured with. On CUDA: one launch on the graph's device's current stream, the
  /// default stream too, after the last replay of its pool; returns at once. Random numbers go on from the default generator, as eager
  /// operators would take them. On a CPU: runs the operators on this thread. Throws graphed::Error without a graph and inside a capture,
  /// c10::Error for what CUDA reports.
  void replay();
  /// cudaGraphExec_t, which this object owns; kernel parameters may be changed in it. Throws graphed::Error without a graph and on a CPU.
  CUgraphExec_st* raw_cuda_graph_exec() const;
  PoolHandle pool() const { return pool_; }
  /// Drops the graph. A replay in flight finishes on the device. No error without a graph.
  void reset() noexcept { *this = {}; }

 private:
  friend class Graph;
  ExecutableGraph(std::shared_ptr<impl::executable> work, PoolHandle pool);
  impl::executable& require_work(const char* caller) const;

  PoolHandle pool_;
  std::shared_ptr<impl::executable> work_;
};

}  // namespace graphed
