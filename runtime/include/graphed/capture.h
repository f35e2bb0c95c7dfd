// SPDX-License-Identifier: Apache-2.0
//
// graphed::Graph and graphed::CaptureGuard: capturing by hand what a scope of code does.
//
//   graphed::Graph graph(x.device());
//   {
//     graphed::CaptureGuard scope(graph);
//     y = net->forward(x);
//   }
//   graphed::ExecutableGraph step = graph.instantiate();
//   x.copy_(batch);
//   step.replay();                                          // y holds the result
//
// Python: torch.cuda.CUDAGraph up to instantiate(), and torch.cuda.graph. Differences: a capture that fails is rolled back, and names the
// last operator. It waits for captures of other threads. The default error mode is `ThisThread`. Nothing is synchronized. Cached memory
// returns to the device only if it has little left, or if graphed callables' warm-ups have left much. Instantiation is never implicit.
// A backward can be captured although a graph of another stream, as that of an eager step whose loss is still alive, leads to the same
// leaves. Casts that autocast has cached are dropped at both ends, so each replay reads the weights. The graph keeps the memory of the
// tensors that its operators used. Only the default generator can be used. The same program runs on a CPU: there the operators are recorded
// onto a tape.
#pragma once

#include <graphed/executable.h>
#include <graphed/export.h>
#include <graphed/pool.h>

#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

struct CUgraph_st;

namespace graphed {

/// Which threads must not call what is unsafe during a capture, as cudaMalloc. No effect on a CPU.
/// Python: capture_error_mode, with "global" as its default.
enum class CaptureErrorMode : uint8_t {
  Global,      ///< no thread
  ThisThread,  ///< the capturing thread; Python's "thread_local"
  Relaxed,     ///< every thread may
};

/// A graph in the making, then as it was captured. Of one that was moved from, members throw graphed::Error, but for capturing(), reset()
/// and the assignment of another one.
/// Thread safety: one thread at a time; a capture begins and ends on one thread.
class GRAPHED_API Graph {
 public:
  /// A CUDA device, without an index the current one, or a CPU. `keep_graph`: what was captured stays after instantiate(), for more
  /// executable graphs, raw_cuda_graph() and debug_dump(). Throws graphed::Error where nothing captures on the device.
  explicit Graph(c10::Device device, bool keep_graph = false);
  /// A capture that has not ended is discarded; on another thread than it began on that cannot be: it stays open, with a warning.
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  c10::Device device() const;

  /// Captures this thread's work on the current stream, until capture_end(). Waits for captures of other threads, for 30 seconds at most.
  /// On CUDA nothing is executed. On a CPU the operators run as they are recorded, and capture_end() undoes their writes and random draws.
  /// Only the tensors that they made keep their values, which on CUDA are undefined until the first replay. Throws graphed::Error on the
  /// default stream, for a pool of another device, if this object has a graph already, and inside a hook. Throws CaptureError inside a
  /// capture, and after a wait without success.
  void capture_begin(PoolHandle pool = {}, CaptureErrorMode error_mode = CaptureErrorMode::ThisThread);
  /// Ends the capture, and warns if it is empty. If the capture failed, everything is as before it, and the graph empty: throws
  /// CaptureError with the last operator. Throws graphed::Error without a capture, or on another thread than it began on.
  void capture_end();
  bool capturing() const noexcept;

  /// An executable graph of what was captured, once, or any number of times with `keep_graph`; changes made through raw_cuda_graph() count
  /// from here on. Waits as capture_begin(). Throws graphed::Error with nothing to instantiate and inside a hook; CaptureError inside a
  /// capture, and after a wait without success; c10::Error for what CUDA reports.
  ExecutableGraph instantiate();

  /// How many nodes there are, by kind: on CUDA "kernel", "memset", "memcpy" and so on; on a CPU by operator, "aten::add.Tensor", without
  /// those that only allocate or view. As captured. Throws graphed::Error before a capture.
  const std::map<std::string, std::size_t>& node_counts() const;
  /// Writes the graph to a file in Graphviz's language (DOT). Throws graphed::Error where that fails, and with nothing captured.
  void debug_dump(const std::string& path) const;
  /// cudaGraph_t, which this object owns. Throws graphed::Error with nothing captured and on a CPU. Python wants keep_graph; here it is
  /// there until instantiate() otherwise.
  CUgraph_st* raw_cuda_graph() const;
  /// Where it was captured into, for other captures. Throws graphed::Error before a capture.
  PoolHandle pool() const;
  /// Drops what was captured, or discards a capture under way; the object can capture again. Executable graphs stay. On another thread than
  /// the capture began on it does nothing: the capture stays open, with a warning.
  void reset() noexcept;

 private:
  friend class CaptureGuard;
  struct state;
  state& require_state(const char* caller) const;
  void begin(std::optional<c10::Stream> stream, PoolHandle pool, CaptureErrorMode error_mode);

  std::unique_ptr<state> state_;
};

struct CaptureOptions {
  /// Current inside the scope, and captured; it must live as long as the graph. Not the default stream. None: the runtime's own for
  /// captures, the better choice, where graphs share cuBLAS workspaces. A CPU has no streams to choose from.
  std::optional<c10::Stream> stream;
  PoolHandle pool{};
  CaptureErrorMode error_mode = CaptureErrorMode::ThisThread;
};

/// Captures into a graph what its scope does. Python: torch.cuda.graph.
class GRAPHED_API CaptureGuard {
 public:
  /// Throws as Graph::capture_begin.
  [[nodiscard]] explicit CaptureGuard(Graph& graph, const CaptureOptions& options = {});
  /// Ends the capture, and throws as Graph::capture_end. When an exception leaves the scope, the capture is discarded, the exception
  /// goes on, and everything is as before.
  ~CaptureGuard() noexcept(false);
  CaptureGuard& operator=(CaptureGuard&&) = delete;

 private:
  Graph& graph_;
  const int exceptions_;
};

/// Whether work of this thread on the device's current stream is being captured, also by other code, or recorded, on a CPU. Python:
/// torch.cuda.is_current_stream_capturing.
GRAPHED_API bool is_current_stream_capturing(c10::Device device);

}  // namespace graphed
