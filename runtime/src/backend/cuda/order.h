// SPDX-License-Identifier: Apache-2.0
//
// What the graphs of one device share: the stream on which they are captured, and the order in which they run.
#pragma once

#include "backend/capture_lock.h"

#include <c10/cuda/CUDAStream.h>
#include <c10/util/FunctionRef.h>

#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace graphed {

/// The stream that is never captured and lives for ever.
inline bool is_default(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy; }

/// One name, cudaStreamPerThread, stands for another stream on each thread.
struct stream_identity {
  explicit stream_identity(cudaStream_t stream)
      : stream(stream), thread(stream == cudaStreamPerThread ? std::this_thread::get_id() : std::thread::id()) {}
  bool operator==(const stream_identity& other) const { return stream == other.stream && thread == other.thread; }

  cudaStream_t stream;
  std::thread::id thread;
};

/// Graphs of one device share cuBLAS workspaces, and often a pool, so that one replay begins after the last has ended, whatever their
/// streams. Thread safety: all members.
class order_domain {
 public:
  static order_domain& of(c10::DeviceIndex device);
  explicit order_domain(c10::DeviceIndex device);

  c10::DeviceIndex device() const { return capture_stream_.device_index(); }

  /// No kernel ever runs on this stream. What a capture allocates outside of its pool, workspaces and the generator's tensors, belongs to
  /// it, and is used by replays only: memory that goes back to it is handed out to a later graph, whose replays come later.
  c10::cuda::CUDAStream capture_stream() const { return capture_stream_; }
  /// The same, for captures of this lane.
  c10::cuda::CUDAStream capture_stream(capture_lane lane) const { return lane == capture_lane::usual ? capture_stream_ : backward_stream_; }

  /// Likewise, for the operators of a capture that run beside those of the captured stream. Counted from zero.
  c10::cuda::CUDAStream branch_stream(std::size_t index);

  /// `stream` waits for the last use of graph memory, if that was on another stream.
  void begin_use(cudaStream_t stream);
  /// What was queued on `stream` so far is the last use of graph memory.
  void end_use(cudaStream_t stream);
  /// What was queued on `stream` so far is no use, but the next use comes after it. Always with the same stream.
  void follow(cudaStream_t stream);
  /// The calling thread waits for the last use of graph memory.
  void wait_on_host();
  /// `launch` between the two, with other uses kept out.
  void use(cudaStream_t stream, c10::function_ref<void()> launch);

  /// The capture stream, those of branches, and `stream`, which was captured, wait for the last use, so that memory which goes back to them
  /// can be used or unmapped only then. A stream that is being captured now does so at the end of that.
  void retire(c10::cuda::CUDAStream stream) noexcept;

  /// The time in which `stream` is being captured.
  class capture_turn {
   public:
    capture_turn(order_domain& domain, c10::cuda::CUDAStream stream);
    ~capture_turn();
    capture_turn(const capture_turn&) = delete;
    capture_turn& operator=(const capture_turn&) = delete;

   private:
    order_domain& domain_;
    const c10::cuda::CUDAStream stream_;
  };

 private:
  void wait(cudaStream_t stream);
  void record_now();
  void wait_unless_captured(c10::cuda::CUDAStream stream) noexcept;
  void record(cudaStream_t stream);

  const c10::cuda::CUDAStream capture_stream_, backward_stream_;
  std::mutex mutex_;
  std::vector<c10::cuda::CUDAStream> branch_streams_;
  cudaEvent_t last_use_ = nullptr;
  stream_identity last_stream_{nullptr};
  cudaEvent_t followed_ = nullptr;
  bool follows_ = false;
  bool used_ = false;
  bool is_recorded_ = false;                       ///< the last use
  bool is_shared_ = false;                         ///< by several streams
  std::optional<c10::cuda::CUDAStream> captured_;  ///< now
};

}  // namespace graphed
