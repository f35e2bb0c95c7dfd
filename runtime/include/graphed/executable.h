// SPDX-License-Identifier: Apache-2.0
//
// graphed::ExecutableGraph: a captured graph that can run.
//
// Python: the part of torch.cuda.CUDAGraph that exists after instantiate(). Differences: it is a separate object, which only
// Graph::instantiate() makes. Replays of one pool run one after another, whatever their streams. It keeps the memory of the tensors that
// the captured operators used, also while a replay in flight reads it. A replay inside a capture is refused before it can break that
// capture.
#pragma once

#include <graphed/export.h>
#include <graphed/pool.h>

#include <memory>

struct CUgraphExec_st;

namespace graphed {

namespace impl {
class executable;
}

/// Thread safety: replay() from any thread, on one object too; order moves, assignments and resets yourself. A host part may reset the
/// object that it is replayed by.
class GRAPHED_API ExecutableGraph {
 public:
  /// Holds no graph.
  ExecutableGraph() = default;
  ExecutableGraph(ExecutableGraph&&) noexcept = default;
  ExecutableGraph& operator=(ExecutableGraph&&) noexcept = default;

  explicit operator bool() const noexcept { return work_ != nullptr; }

  /// Runs what was captured, on the addresses that it was captured with. On CUDA: one launch on the graph's device's current stream, the
  /// default stream too, after the last replay of its pool; returns immediately. Random numbers continue the default generator's sequence,
  /// as those of eager operators. On a CPU: runs the operators on this thread. With host parts (graphed::host) it is several launches, and
  /// returns after the last one; until then other replays of its pool wait. Throws graphed::Error without a graph, inside a capture, and in
  /// a host part of a graph of the same pool. Throws it, too, where one host part of another thread's replay has not ended in five seconds
  /// of waiting, and on a CPU if an operator of another library behaves differently than in the capture: then nothing of the replay is
  /// left. Throws c10::Error for what CUDA reports.
  void replay();
  /// cudaGraphExec_t, which this object owns; kernel parameters may be changed in it. Throws graphed::Error without a graph and on a CPU.
  CUgraphExec_st* raw_cuda_graph_exec() const;
  PoolHandle pool() const { return pool_; }
  /// Drops the graph. A replay in flight finishes on the device. No error without a graph.
  void reset() noexcept { *this = {}; }

 private:
  friend class Graph;
  ExecutableGraph(std::shared_ptr<impl::executable> work, PoolHandle pool);
  const std::shared_ptr<impl::executable>& require_work(const char* caller) const;

  PoolHandle pool_;
  std::shared_ptr<impl::executable> work_;
};

}  // namespace graphed
