// SPDX-License-Identifier: Apache-2.0
//
// What a captured autograd graph has saved, which no interface of LibTorch tells: it holds the tensor, or its version counter.
#pragma once

#include "slot/captured_callable.h"
#include "slot/static_arguments.h"

#include <cstddef>
#include <vector>

namespace graphed::impl {

/// How many hold each member of the closure before the capture, to see afterwards whether the captured graph does.
class use_counts {
 public:
  explicit use_counts(const closure& members);
  /// By more than `expected`. A tensor that was not known before counts as grown.
  bool grew(std::size_t index, const at::Tensor& tensor, std::size_t expected) const;

 private:
  std::vector<std::size_t> counts_;
};

/// Notes which arguments, members of the closure and results the backward needs. A view that is returned holds its base and shares its
/// version counter, but nothing is saved by that.
void find_saved(captured_callable& made, const static_arguments& arguments, const tensor_list& results, const use_counts& before);

}  // namespace graphed::impl
