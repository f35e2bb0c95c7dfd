// SPDX-License-Identifier: Apache-2.0
//
// Which tensors autograd keeps for a backward.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace graphed::impl {

/// What a callable returned, apart from what autograd may have saved of it.
class result_holders {
 public:
  explicit result_holders(const std::vector<at::Tensor>& results);

  /// For each result, whether somebody besides the list, and the views in it, holds it, its base, or its version counter, as autograd does
  /// with what it saves.
  std::vector<bool> saved() const;
  /// How often the list holds the tensor, and its views do.
  std::size_t count(const at::Tensor& tensor) const;
  /// Whether somebody besides the list, and the views in it, holds a result with this version counter, or the counter. The caller has the
  /// only other copy of it.
  bool others_hold(const c10::VariableVersion& counter) const;

 private:
  const std::vector<at::Tensor>& results_;
  std::unordered_map<c10::TensorImpl*, std::size_t> counts_;
};

}  // namespace graphed::impl
