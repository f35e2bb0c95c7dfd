// SPDX-License-Identifier: Apache-2.0
//
// The order of the work on static memory. Replays of one pool run one after another, whatever their streams; those of two pools side by
// side, unless the two have one order, as they may.
#pragma once

#include "backend/capture_lock.h"

#include <c10/core/Allocator.h>
#include <c10/core/Stream.h>
#include <c10/util/FunctionRef.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>

namespace graphed::impl {

/// Here that of a CPU, where work is over when its caller goes on. Lives until the process ends. Thread safety: all members, but for
/// memory_of_replays.
class pool_order {
 public:
  pool_order() : pool_order(/*has_streams=*/false) {}
  virtual ~pool_order() = default;

  /// False where work is over when its caller goes on, so that nothing ever waits.
  bool has_streams() const { return has_streams_; }

  /// Before static memory is read or written on the current stream, not by a replay or copy() but by staging: the stream waits for its last
  /// use on another.
  virtual void begin_use() {}
  /// After that, as cloning an output is: the next use on another stream waits for it. A replay that follows does it as well.
  virtual void end_use() {}
  /// `bytes` bytes from static memory, or to it, on the current stream.
  virtual void copy(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
  /// `write` changes memory on the current stream that graphs of other orders read as well: after their last replays, and before their
  /// next.
  virtual void change_shared(c10::function_ref<void()> write) { write(); }
  /// The current stream, if its handle stays valid: LibTorch never destroys its own streams. None for another one, and on a CPU.
  virtual std::optional<c10::Stream> lasting_stream() const { return std::nullopt; }
  /// Whether callers may read static memory on the current stream. Otherwise they get copies: nothing could wait later for what they have
  /// queued there.
  virtual bool gives_memory() const { return true; }
  /// Whether the current stream can wait for `reader` now, which is not being captured.
  virtual bool can_wait_for(const c10::Stream& /*reader*/) const { return true; }
  /// The current stream waits for what is queued on `reader`, a stream that reads static memory by itself.
  virtual void wait_for(const c10::Stream& /*reader*/) {}
  /// `memory` of a pool, which is about to be freed, is used again only after what is queued on `reader` now.
  virtual void free_after(const c10::Stream& /*reader*/, const c10::DataPtr& /*memory*/) noexcept {}
  /// Null where another thread can wait for what is queued on the current stream. Otherwise, as on cudaStreamPerThread: what becomes true
  /// once the calling thread has ended, and with it all that it has queued there.
  virtual std::shared_ptr<const std::atomic<bool>> end_of_thread() const { return nullptr; }
  /// `reader` waits for what is queued on the current stream, and may go on reading from `memory`, which LibTorch's allocator made.
  virtual void let_read(const c10::Stream& /*reader*/, const c10::DataPtr& /*memory*/) {}
  /// While the result lives, operators may run on the lane's capture streams without being captured. They have cuBLAS workspaces of their
  /// own, as replays, which nothing keeps out, use the streams'. At its end the current stream waits for them. The caller holds the lane.
  virtual std::shared_ptr<void> begin_eager(capture_lane /*lane*/) { return nullptr; }
  /// Memory of so many bytes or more for what a replay writes before it reads it, and nothing reads afterwards. Captures that come one
  /// after another get the same, which lives as long as something holds it. Where it does not suffice, later captures get more. Null where
  /// replays may run at once. The caller holds the capture lock, and is not inside a capture.
  virtual std::shared_ptr<c10::DataPtr> memory_of_replays(std::size_t /*bytes*/) { return nullptr; }
  /// What a lane_lock holds, for captures into such a pool and backwards over them.
  virtual reentrant_mutex* lane(capture_lane /*lane*/) { return nullptr; }

 protected:
  explicit pool_order(bool has_streams) : has_streams_(has_streams) {}

 private:
  const bool has_streams_;
};

}  // namespace graphed::impl
