// SPDX-License-Identifier: Apache-2.0
//
// Streams in tests that also run on a CPU, which has none.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/cuda.h>

#include <optional>

namespace graphed::testing {

/// A stream of LibTorch's on a GPU, nothing on a CPU.
class test_stream {
 public:
  explicit test_stream(c10::Device device) {
    if (!device.is_cpu()) {
      stream_ = c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device, /*isHighPriority=*/false);
    }
  }
  /// While the result lives, it is the thread's current one.
  c10::OptionalStreamGuard make_current() const { return stream_ ? c10::OptionalStreamGuard(*stream_) : c10::OptionalStreamGuard(); }
  void synchronize() const {
    if (stream_) {
      stream_->synchronize();
    }
  }

 private:
  std::optional<c10::Stream> stream_;
};

}  // namespace graphed::testing
