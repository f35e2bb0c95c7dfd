// SPDX-License-Identifier: Apache-2.0
//
// The kernels of a captured operator, by the nodes that it has added to the graph.
#pragma once

#include "watch/kernel_watch.h"

#include <c10/core/Device.h>
#include <cuda_runtime_api.h>

#include <unordered_set>

namespace graphed::impl {

class kernel_names final : public kernel_watch {
 public:
  explicit kernel_names(c10::Device device) : device_(device) {}

  void before() noexcept override;
  std::vector<std::string> after() noexcept override;

 private:
  const c10::Device device_;
  cudaStream_t stream_ = nullptr;  ///< of the operator; null where it is not captured
  std::unordered_set<cudaGraphNode_t> known_;
};

}  // namespace graphed::impl
