// SPDX-License-Identifier: Apache-2.0
//
// The kernels of a captured operator, by the nodes that it has added to the graph; and its time, by events around it.
#pragma once

#include "backend/cuda/cleanup.h"
#include "watch/kernel_watch.h"

#include <c10/core/Device.h>
#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace graphed::impl {

/// Events that a graph records.
class operator_events final : public operator_clock {
 public:
  explicit operator_events(c10::Device device) : device_(device) {}
  void begin(const std::string& name, cudaStream_t captured);
  void end(cudaStream_t captured);
  std::vector<operator_time> times() const override;

 private:
  struct span {
    std::string name;
    event_handle begin, end;
  };
  const c10::Device device_;
  std::vector<span> spans_;
};

class kernel_names final : public kernel_watch {
 public:
  /// `clock` may be null.
  kernel_names(c10::Device device, std::shared_ptr<operator_events> clock) : device_(device), clock_(std::move(clock)) {}

  void before(const std::string& name) noexcept override;
  std::vector<std::string> after() noexcept override;
  std::shared_ptr<const operator_clock> clock() const override { return clock_; }

 private:
  const c10::Device device_;
  const std::shared_ptr<operator_events> clock_;
  cudaStream_t stream_ = nullptr;  ///< of the operator; null where it is not captured
  std::unordered_set<cudaGraphNode_t> known_;
};

}  // namespace graphed::impl
