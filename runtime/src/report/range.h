// SPDX-License-Identifier: Apache-2.0
//
// Named ranges of time, for PyTorch's profiler and, where the runtime was built with CUDA, for NVTX.
#pragma once

#include <ATen/record_function.h>

#include <optional>

namespace graphed::impl {

/// While it lives, what this thread does belongs to the range. Costs a few nanoseconds where nothing looks.
class range {
 public:
  /// `name` must outlive the range.
  explicit range(const char* name);
  ~range();
  range& operator=(range&&) = delete;

 private:
  std::optional<at::RecordFunction> profiled_;
};

}  // namespace graphed::impl
