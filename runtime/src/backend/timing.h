// SPDX-License-Identifier: Apache-2.0
//
// How long a call takes, without waiting for the device.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

namespace graphed::impl {

/// A stretch of a stream's time on the device, from when it was made to stop().
class interval {
 public:
  virtual ~interval() = default;
  virtual void stop() = 0;
  /// None while the device has not come to its end. Throws c10::Error for what the device reports.
  virtual std::optional<double> microseconds() const = 0;
};

class timing {
 public:
  /// Starts. `on_device` is null where the host's time is the whole of it.
  explicit timing(std::unique_ptr<interval> on_device) : on_device_(std::move(on_device)), start_(clock::now()) {}
  void stop() {
    on_host_ = clock::now() - start_;
    if (on_device_) {
      on_device_->stop();
    }
  }
  /// The larger of the host's time and the device's; none while the latter is not known.
  std::optional<double> microseconds() const {
    const auto on_device = on_device_ ? on_device_->microseconds() : 0.0;
    return on_device ? std::optional(std::max(*on_device, on_host_.count())) : std::nullopt;
  }

 private:
  using clock = std::chrono::steady_clock;

  std::unique_ptr<interval> on_device_;
  clock::time_point start_;
  std::chrono::duration<double, std::micro> on_host_{};
};

}  // namespace graphed::impl
