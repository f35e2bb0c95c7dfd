// SPDX-License-Identifier: Apache-2.0
//
// A compiled program on a GPU.
#pragma once

#include "fusion/group.h"

#include <c10/core/Device.h>
#include <c10/util/ArrayRef.h>
#include <cuda.h>

#include <memory>
#include <string>
#include <vector>

namespace graphed::impl::fusion {

/// Kernels as functions of the driver, which are there until it is destroyed.
class program {
 public:
  /// Compiles the kernels for the current device, or takes what the cache has of them, and loads them. Null where that fails; `why_not`
  /// says why then. A capture may be open on another stream of this thread if the thread captures in relaxed mode.
  static std::unique_ptr<program> make(c10::ArrayRef<kernel> kernels, std::string& why_not);
  /// The same, once for each text and device: it is there until the process ends.
  static std::shared_ptr<const program> shared(c10::ArrayRef<kernel> kernels, std::string& why_not);
  ~program();
  program(const program&) = delete;
  program& operator=(const program&) = delete;

  /// In the order of the kernels.
  CUfunction function(std::size_t kernel) const { return functions_.at(kernel); }
  void launch(std::size_t kernel, unsigned blocks, c10::ArrayRef<void*> addresses, CUstream stream) const;

 private:
  program() = default;

  CUmodule module_ = nullptr;
  std::vector<CUfunction> functions_;
};

/// "sm_90" of the current device.
std::string current_architecture();

}  // namespace graphed::impl::fusion
