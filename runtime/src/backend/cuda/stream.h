// SPDX-License-Identifier: Apache-2.0
//
// Work on a side stream, in order with the stream that was current before.
#pragma once

#include "backend/backend.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <atomic>

namespace graphed {

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

/// `stream` uses the tensor's memory: that of its indices and values where it is sparse.
void record_use(const at::Tensor& tensor, c10::cuda::CUDAStream stream);

class side_stream final : public stream_scope {
 public:
  explicit side_stream(c10::DeviceIndex device);
  ~side_stream() override;
  side_stream& operator=(side_stream&&) = delete;

  void hand_over(const at::Tensor& tensor) override;

 private:
  const c10::cuda::CUDAStream outer_;
  const c10::cuda::CUDAStream side_;
  c10::cuda::CUDAStreamGuard current_;
};

}  // namespace graphed
