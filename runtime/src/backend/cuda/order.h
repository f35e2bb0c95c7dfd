// SPDX-License-Identifier: Apache-2.0
//
// What the graphs of a pool share: the streams on which they are captured, the cuBLAS workspaces that belong to those, and the order in
// which they run.
#pragma once

#include "backend/capture_lock.h"
#include "backend/pool_order.h"
#include "report/log.h"
#include "report/thread_number.h"
#include "torch/workspace_maps.h"

#include <c10/cuda/CUDAStream.h>
#include <c10/util/FunctionRef.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace graphed::impl {

/// One name, cudaStreamPerThread, stands for another stream on each thread.
struct stream_identity {
  explicit stream_identity(cudaStream_t stream) : stream(stream), thread(stream == cudaStreamPerThread ? thread_number() : no_thread) {}
  bool operator==(const stream_identity& other) const { return stream == other.stream && thread == other.thread; }

  cudaStream_t stream;
  uint64_t thread;
};

/// So many on a device: as many replays as may run there side by side. Each has cuBLAS workspaces, 33 MiB on an H100, and for graphs with
/// branches more; and few replays at a time fill a GPU. Pools beyond that share.
constexpr std::size_t domains_of_a_device = 4;

/// Graphs of one domain share memory: of their pools, of cuBLAS workspaces, of static inputs. So one replay begins after the last has
/// ended, whatever their streams. Those of two domains share none. Thread safety: all members but memory_of_replays. Streams and the last
/// use of their memory stay together, as one lock guards them and each answers for the other: hence so many members.
class order_domain final : public pool_order {
 public:
  /// For a pool, while the result lives: one that no other pool has or, where there is none, that the fewest have. The domain itself is
  /// never destroyed: graphs in static storage outlive everything else.
  static std::shared_ptr<order_domain> take(c10::DeviceIndex device);
  /// Of those of the device.
  static bool any_of(c10::DeviceIndex device, c10::function_ref<bool(order_domain&)> is);
  explicit order_domain(c10::DeviceIndex device);

  c10::DeviceIndex device() const { return capture_stream().device_index(); }

  /// Nothing ever runs on this stream. What replays use outside of their pools (shared inputs, the generator's tensors) is its memory. What
  /// goes back to it is given to a later graph of the domain, whose replays come later.
  c10::cuda::CUDAStream memory_stream() const { return memory_stream_; }

  /// No replay ever runs on this stream, but an eager backward over what was captured there may.
  c10::cuda::CUDAStream capture_stream(capture_lane lane = capture_lane::usual) const {
    return capture_streams_[static_cast<std::size_t>(lane)];
  }

  /// The same, for the operators of a capture that run beside those of the captured stream. Counted from zero. Each lane has its own: an
  /// eager backward over a captured body runs on the stream of that body.
  c10::cuda::CUDAStream branch_stream(capture_lane lane, std::size_t index);
  /// Of a capture on this stream. One on a stream of the user's belongs to the lane in which a backward may be captured.
  capture_lane lane_of(c10::cuda::CUDAStream captured) const {
    return captured == capture_stream() ? capture_lane::usual : capture_lane::with_backwards;
  }
  /// The same, for collectives. Of high priority: what other ranks wait for comes before what this one alone does.
  c10::cuda::CUDAStream collective_stream();
  /// Whether the stream is one of those above.
  bool owns(c10::cuda::CUDAStream stream) const;

  void begin_use() override;
  void end_use() override;
  void change_shared(c10::function_ref<void()> write) override;
  void copy(void* to, const void* from, std::size_t bytes) override;
  std::optional<c10::Stream> lasting_stream() const override;
  bool gives_memory() const override;
  bool can_wait_for(const c10::Stream& reader) const override;
  void wait_for(const c10::Stream& reader) override;
  void free_after(const c10::Stream& reader, const c10::DataPtr& memory) noexcept override;
  std::shared_ptr<const std::atomic<bool>> end_of_thread() const override;
  void let_read(const c10::Stream& reader, const c10::DataPtr& memory) override;
  std::shared_ptr<void> begin_eager(capture_lane lane) override;
  /// Those that its graphs have. For the holder of the capture lock.
  known_workspaces& workspaces() { return workspaces_; }
  std::shared_ptr<c10::DataPtr> memory_of_replays(std::size_t bytes) override;
  reentrant_mutex* lane(capture_lane lane) override { return &lanes_[static_cast<std::size_t>(lane)]; }

  /// The calling thread waits for the last use of graph memory.
  void wait_on_host();
  /// `stream` waits for the last use of graph memory, if that was on another stream; what `launch` queues there is the last one then, also
  /// where it throws. Other uses are kept out, so that `launch` runs no code of the user's.
  void use(cudaStream_t stream, c10::function_ref<void()> launch);

  /// The capture stream, those of branches, and `stream`, which was captured, wait for the last use. Memory that goes back to them can then
  /// be used or unmapped only afterwards. A stream that is being captured now does so at the end of that.
  void retire(c10::cuda::CUDAStream stream) noexcept;

  /// The time in which `stream` is being captured.
  class capture_turn {
   public:
    capture_turn(order_domain& domain, c10::cuda::CUDAStream stream);
    ~capture_turn();
    capture_turn& operator=(capture_turn&&) = delete;

   private:
    order_domain& domain_;
    const c10::cuda::CUDAStream stream_;
  };

 private:
  void wait(cudaStream_t stream);
  void record_now();
  void wait_unless_captured(c10::cuda::CUDAStream stream) noexcept;
  void record(cudaStream_t stream);

  cudaStream_t current_stream() const;

  const c10::cuda::CUDAStream memory_stream_;
  const c10::cuda::CUDAStream capture_streams_[2];  ///< by lane, as lanes_ and branch_streams_
  std::size_t pools_ = 0;                           ///< that have it; under the lock of all domains
  reentrant_mutex lanes_[2];
  mutable quiet_mutex mutex_;
  std::vector<c10::cuda::CUDAStream> branch_streams_[2];
  std::optional<c10::cuda::CUDAStream> collective_stream_;
  known_workspaces workspaces_;
  std::pair<std::weak_ptr<c10::DataPtr>, std::size_t> replay_memory_;  ///< what captures got last, and its bytes
  cudaEvent_t last_use_ = nullptr;
  std::optional<stream_identity> last_stream_;     ///< none before the first use
  bool is_recorded_ = false;                       ///< the last use
  bool is_shared_ = false;                         ///< by several streams
  std::optional<c10::cuda::CUDAStream> captured_;  ///< now
};

}  // namespace graphed::impl
