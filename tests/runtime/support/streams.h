// SPDX-License-Identifier: Apache-2.0
//
// Streams in tests that also run on a CPU, which has none.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Event.h>
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
  /// None on a CPU.
  const std::optional<c10::Stream>& get() const { return stream_; }
  /// What is queued on it from now on comes after what the current stream has now.
  void wait_for_current() const {
    if (stream_) {
      c10::Event event(stream_->device_type());
      event.record(c10::impl::VirtualGuardImpl(stream_->device_type()).getStream(stream_->device()));
      event.block(*stream_);
    }
  }
  void synchronize() const {
    if (stream_) {
      stream_->synchronize();
    }
  }

 private:
  std::optional<c10::Stream> stream_;
};

}  // namespace graphed::testing
