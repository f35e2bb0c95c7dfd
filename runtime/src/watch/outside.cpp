// SPDX-License-Identifier: Apache-2.0
//
// What a recording has seen of the tensors that the callable did not make.
#include "watch/recording.h"

namespace graphed {

std::vector<outside_tensor> recording::outside_tensors() const {
  const std::lock_guard lock(mutex_);
  auto [held, others] = sorted();
  held.insert(held.end(), others.begin(), others.end());
  return held;
}

std::vector<outside_tensor> recording::held_outside() const {
  const std::lock_guard lock(mutex_);
  return sorted().held;
}

std::vector<at::Tensor> recording::abandoned_outside() const {
  const std::lock_guard lock(mutex_);
  std::vector<at::Tensor> abandoned;
  for (const auto& outside : sorted().others) {
    if (outside.used && outside.tensor.dim() > 0) {
      abandoned.push_back(outside.tensor);
    }
  }
  return abandoned;
}

// What only the recording holds was made by the callable itself. Where it is another handle of a held tensor's memory, as data() makes one,
// what happened to it happened to that tensor, behind its version counter.
recording::sorted_outside recording::sorted() const {
  sorted_outside result;
  for (const auto& outside : outside_) {
    if (outside.tensor.use_count() > 1) {
      result.held.push_back(outside);
    }
  }
  for (const auto& outside : outside_) {
    if (outside.tensor.use_count() > 1) {
      continue;
    }
    bool is_handle = false;
    for (auto& held : result.held) {
      if (outside.tensor.has_storage() && held.tensor.has_storage() && held.tensor.is_alias_of(outside.tensor)) {
        held.changed |= outside.changed;
        held.used |= outside.used;
        is_handle = true;
      }
    }
    if (!is_handle) {
      result.others.push_back(outside);
    }
  }
  return result;
}

}  // namespace graphed
