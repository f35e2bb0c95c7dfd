// SPDX-License-Identifier: Apache-2.0
//
// What a capture becomes, for either backend: it is open, then a graph, then an executable one. The hooks are called from here.
#pragma once

#include "backend/host_ring.h"
#include "backend/replay_turns.h"
#include "report/run/operator_times.h"
#include "watch/rank_group.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Scalar.h>
#include <c10/core/StorageImpl.h>
#include <graphed/error.h>
#include <graphed/hooks.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

struct CUgraph_st;
struct CUgraphExec_st;

namespace graphed::impl {

struct captured_work;

/// What the end of a launch writes into the memory of the host.
struct delivery {
  struct part {
    at::Tensor from;  ///< of the graph's memory, dense
    std::size_t to;   ///< of an entry of a host_ring, in bytes: a multiple of 16; in words, the first one
  };
  at::Tensor address;   ///< int64 in the graph's memory, as the others: which entry, set before each replay
  at::Tensor finished;  ///< set to zero before each replay: counts blocks
  at::Tensor number;    ///< set before each replay: of the call
  host_results_form form;
  std::vector<part> parts;
};

/// The number of a capture in the process, and where it was made.
struct graph_identity {
  uint64_t number;
  c10::Device device;
};

struct fused_counts {
  uint64_t operators = 0, kernels = 0;
};

/// The groups whose collectives a graph holds; for as long as it lives, it holds their communicators.
struct held_groups {
  std::string whose;
  std::shared_ptr<const made_callable> callable;  ///< null where it is none's
  rank_groups groups;
  std::vector<std::shared_ptr<const void>> holds;
};

/// Ends a replay of a tape: an operator of another library behaves differently than in the capture. What the replay had written of others'
/// memory has its former bytes, and random numbers that it has drawn come again.
class changed_results : public Error {
 public:
  using Error::Error;
};

/// Work that was captured once and runs again on the addresses it was captured with.
class executable {
 public:
  explicit executable(graph_identity identity);
  virtual ~executable();
  executable& operator=(executable&&) = delete;

  /// On CUDA: one launch on the current stream, ordered after the last replay of its pool, and of those that share its order. Random
  /// numbers advance as eager's do. Autograd modes of the caller do not matter. On a tape replays of one graph wait for one another. Throws
  /// Error where it holds a collective that another rank, which has failed, would not come to.
  void replay();
  /// Before a replay: `to`, which has this place in open_capture::begin_with, gets the value of `from`. On CUDA that is part of the
  /// replay's launch where the two have the same layout, otherwise it is written ahead. Returns the bytes copied.
  virtual uint64_t copy_in(std::size_t place, const at::Tensor& to, const at::Tensor& from);
  virtual uint64_t fill_in(std::size_t place, const at::Tensor& to, const c10::Scalar& value);
  /// As copy_in, from memory of a host_ring, which stays as it is until the replay has ended.
  virtual uint64_t copy_in_from_host(std::size_t place, const at::Tensor& to, const at::Tensor& from);
  /// Before a replay: `write` gives the graph's static memory values that the launch cannot copy. On CUDA the replay calls it, on its own
  /// stream, in one use of its order with the launch, as other graphs may have the same memory; a tape calls it at once.
  virtual void write_ahead(std::function<void()> write) { write(); }
  /// Before a replay: its launch ends with a copy into `to` of the tensor that has this place in open_capture::end_with. False where it
  /// does not, because the two have different layouts or the backend has no launch; then nothing is copied. What several get must not
  /// overlap.
  virtual bool copy_out(std::size_t /*place*/, const at::Tensor& /*to*/) { return false; }
  /// After a replay: what the current stream was given since then, as clones of results, comes before what the streams get from now on
  /// on which the callable itself runs operators.
  virtual void order_side_streams() {}
  /// Later replays write these tensors where they are now. On CUDA nothing ever moves.
  virtual void pin(at::TensorList /*tensors*/) {}
  /// Of scratch memory for products of matrices, which the graphs of its order share.
  virtual uint64_t workspace_bytes() const { return 0; }
  /// Pointwise operators of which a few kernels do what theirs would have done.
  virtual fused_counts fused() const { return {}; }
  /// What a replay runs on the host between its pieces.
  virtual std::size_t host_parts() const { return 0; }
  /// Whether a replay may throw changed_results.
  virtual bool may_change_results() const { return false; }
  /// Whether the last replay came to its first launch, so that static memory has the values of that call, though it may have thrown later.
  bool has_begun() const { return has_begun_.load(std::memory_order_relaxed); }
  /// How often replays hold each memory.
  virtual std::unordered_map<const c10::StorageImpl*, std::size_t> held_memory() const { return {}; }
  /// From now on the first replays measure each operator; before the first one.
  virtual void time_operators() {}
  /// Of each operator, in the order of the replay, what was measured. Empty where nothing was. Any thread may ask.
  virtual std::vector<operator_time> operator_times() const { return clock ? clock->times() : std::vector<operator_time>(); }
  /// Of its capture; later captures of the process have larger ones.
  uint64_t number() const { return identity_.number; }
  /// Throws graphed::Error where there is none.
  virtual CUgraphExec_st* raw() const;

  std::shared_ptr<const captured_work> reported;  ///< null where no report is collected
  std::shared_ptr<const operator_clock> clock;    ///< that its graph sets; null: it sets none

 protected:
  /// Of the pool that it was captured into.
  replay_turns& turns() const { return *turns_; }
  void note_begun() { has_begun_.store(true, std::memory_order_relaxed); }

 private:
  friend class captured_graph;
  /// Calls note_begun().
  virtual void run() = 0;

  const graph_identity identity_;
  std::atomic<bool> has_begun_{false};
  std::shared_ptr<const held_groups> groups_;  ///< null: no collectives
  std::shared_ptr<replay_turns> turns_;
};

/// What was captured. Executables made of it share its memory, and keep it.
class captured_graph {
 public:
  explicit captured_graph(graph_identity identity) : identity_(identity) {}
  virtual ~captured_graph() = default;
  captured_graph& operator=(captured_graph&&) = delete;

  /// The caller holds the process-wide capture lock.
  std::unique_ptr<executable> instantiate();
  /// It has collectives of these groups, for a callable or graph of this name.
  void hold(const rank_groups& groups, const std::string& whose);
  /// On CUDA by the node's type, "kernel", "memset"; on a tape by the operator, "aten::add.Tensor".
  virtual std::map<std::string, std::size_t> node_counts() const = 0;
  /// Writes a file in Graphviz's language. Throws where it cannot be written.
  virtual void write_dot(const std::string& path) const = 0;
  /// Throws graphed::Error where there is none.
  virtual CUgraph_st* raw() const;

 protected:
  graph_identity identity() const { return identity_; }

 private:
  friend class open_capture;
  virtual std::unique_ptr<executable> make_executable() = 0;

  const graph_identity identity_;
  std::shared_ptr<const held_groups> groups_;
  std::shared_ptr<replay_turns> turns_;
};

/// A capture under way on this thread. When it dies without having ended, everything that it changed is restored: the stream, the
/// allocator, the generator. For the tape, that includes the random state and the tensors from outside that were written.
class open_capture {
 public:
  /// `turns`: of the pool that it captures into.
  open_capture(c10::Device device, std::shared_ptr<replay_turns> turns);
  virtual ~open_capture();
  open_capture& operator=(open_capture&&) = delete;

  /// From now on work is captured. Before, this thread allocates from the graph's memory already, and other threads may synchronize the
  /// device.
  virtual void begin() {}
  /// The same of work that begins with copies into these tensors of the graph's memory, which may be undefined: executable::copy_in says
  /// what, before each replay.
  /// `from_host`: of how many bytes those targets are that get their values by copy_in_from_host, each rounded up to a multiple of 16.
  virtual void begin_with(const std::vector<at::Tensor>& /*targets*/, uint64_t /*from_host*/ = 0) {}
  /// The work, which began with such copies, ends with copies of these tensors of the graph's memory: executable::copy_out says where to,
  /// before each replay. After everything else is captured: from here on other threads may synchronize the device.
  virtual void end_with(const std::vector<at::Tensor>& /*sources*/) {}
  /// Before end_with: the work then ends with this, after those copies.
  virtual void deliver(delivery /*results*/) {}
  /// Once only, on the thread that began. Throws what the backend says of the capture; then it has not ended.
  std::unique_ptr<captured_graph> end();

 protected:
  graph_identity identity() const { return identity_; }
  bool has_ended() const { return ended_; }

 private:
  virtual std::unique_ptr<captured_graph> finish() = 0;

  const graph_identity identity_;
  const std::shared_ptr<replay_turns> turns_;
  bool ended_ = false;
};

/// Calls the hooks of an event. Without any: one load.
void notify(const EventInfo& event) noexcept;
/// Whether this thread is running a hook.
bool inside_hook();

}  // namespace graphed::impl
