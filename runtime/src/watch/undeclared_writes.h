// SPDX-License-Identifier: Apache-2.0
//
// What an operator of another library writes on a CPU although its schema does not say so: the bytes of its arguments show it.
#pragma once

#include "watch/observer.h"

#include <ATen/core/Tensor.h>
#include <c10/util/FunctionRef.h>

#include <utility>
#include <vector>

namespace graphed::impl {

class undeclared_writes {
 public:
  /// Before the operator runs. Copies the memory of what it declares to read only.
  explicit undeclared_writes(const operator_call& call);
  undeclared_writes& operator=(undeclared_writes&&) = delete;

  /// After it has run: calls `tell` with each argument that it has written, while that has its former bytes.
  void tell(c10::function_ref<void(const at::Tensor&)> tell);

 private:
  std::vector<std::pair<at::Tensor, at::Tensor>> read_;  ///< one of each memory, and that memory's bytes
};

}  // namespace graphed::impl
