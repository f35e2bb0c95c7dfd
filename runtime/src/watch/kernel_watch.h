// SPDX-License-Identifier: Apache-2.0
//
// Which kernels an operator of a capture has queued, for the report.
#pragma once

#include "report/run/operator_times.h"

#include <memory>
#include <string>
#include <vector>

namespace graphed::impl {

/// Around each operator of one capture, on the thread that runs it. Nothing fails: what cannot be known is left out.
class kernel_watch {
 public:
  kernel_watch() = default;
  virtual ~kernel_watch() = default;
  kernel_watch& operator=(kernel_watch&&) = delete;

  /// `name`: the operator's, "aten::addmm".
  virtual void before(const std::string& name) noexcept = 0;
  /// The names of the kernels, as the linker has them, and "memset", "memcpy": what was queued since before(), in an order of the graph.
  virtual std::vector<std::string> after() noexcept = 0;
  /// Of the operators that it was around; null where none are measured. The graph needs it for as long as it lives.
  virtual std::shared_ptr<const operator_clock> clock() const = 0;
};

}  // namespace graphed::impl
