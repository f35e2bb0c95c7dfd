// SPDX-License-Identifier: Apache-2.0
//
// Streams of the runtime's own.
#pragma once

#include <c10/cuda/CUDAStream.h>

#include <atomic>

namespace graphed::impl {

/// A stream that nobody else has, for ever: those of c10's pool are handed out to everybody in turn.
c10::cuda::CUDAStream make_stream(c10::DeviceIndex device);

/// Where the warm-ups of a device run: not on the capture stream, because another thread may be capturing that just then, and because
/// cuBLAS workspaces belong to a stream and replays may be using the capture stream's. Thread safety: all members.
class warmup_stream {
 public:
  static warmup_stream& of(c10::DeviceIndex device);
  explicit warmup_stream(c10::DeviceIndex device);

  c10::cuda::CUDAStream stream() const { return stream_; }
  void use() { was_used_ = has_leftovers_ = true; }
  bool was_used() const { return was_used_; }
  /// Whether it was used since the last question: the allocator keeps for a stream what was freed on it.
  bool take_leftovers() { return has_leftovers_.exchange(false); }

 private:
  const c10::cuda::CUDAStream stream_;
  std::atomic<bool> was_used_{false};
  std::atomic<bool> has_leftovers_{false};
};

}  // namespace graphed::impl
