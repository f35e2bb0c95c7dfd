// SPDX-License-Identifier: Apache-2.0
//
// Work on a side stream, in order with the stream that was current before.
#pragma once

#include "../backend.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace graphed {

/// `stream` uses the tensor's memory: that of its indices and values where it is sparse.
void record_use(const at::Tensor& tensor, c10::cuda::CUDAStream stream);

/// Warm-ups run on a stream of their own, one for each device: not on the capture stream, because another thread may be capturing that just
/// then, and because cuBLAS workspaces belong to a stream and replays may be using the capture stream's.
class side_stream final : public stream_scope {
 public:
  explicit side_stream(c10::DeviceIndex device);
  ~side_stream() override;
  side_stream(const side_stream&) = delete;
  side_stream& operator=(const side_stream&) = delete;

  void hand_over(const at::Tensor& tensor) override;

 private:
  const c10::cuda::CUDAStream outer_;
  const c10::cuda::CUDAStream side_;
  c10::cuda::CUDAStreamGuard current_;
};

}  // namespace graphed
