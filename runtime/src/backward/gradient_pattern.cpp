// SPDX-License-Identifier: Apache-2.0
#include "backward/gradient_pattern.h"

#include "capture/static_memory.h"

namespace graphed::impl {
namespace {

template <class Value>
void append_bytes(std::string& pattern, Value value) {
  pattern.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_strides(std::string& pattern, const at::Tensor& gradient) {
  for (int64_t dim = 0; dim < gradient.dim(); ++dim) {
    append_bytes(pattern, gradient.size(dim) > 1 ? gradient.stride(dim) : 1);
  }
}

const handed_memory* shown(const at::Tensor& gradient, uint64_t pool) {
  const handed_memory* memory = memory_shown_by(gradient);
  return memory != nullptr && memory->pool == pool && !gradient.is_conj() && !gradient.is_neg() ? memory : nullptr;
}

}  // namespace

// Their kernels depend on the strides.
std::string pattern_of(at::TensorList gradients, bool is_padded) {
  std::string pattern = is_padded ? "p" : "";
  for (const auto& gradient : gradients) {
    pattern.push_back(gradient.defined() ? 'g' : '-');
    if (gradient.defined() && !is_padded) {
      append_strides(pattern, gradient);
    }
  }
  return pattern;
}

std::string pattern_in_place(at::TensorList gradients, uint64_t pool) {
  std::string pattern;
  for (const auto& gradient : gradients) {
    const handed_memory* memory = gradient.defined() ? shown(gradient, pool) : nullptr;
    pattern.push_back(memory != nullptr ? 'm' : gradient.defined() ? 'g' : '-');
    if (gradient.defined()) {
      append_strides(pattern, gradient);
    }
    if (memory != nullptr) {
      append_bytes(pattern, gradient.const_data_ptr());
    }
  }
  return pattern;
}

at::Tensor memory_in_place(const at::Tensor& gradient, uint64_t pool) {
  const handed_memory* memory = shown(gradient, pool);
  if (memory == nullptr) {
    return {};
  }
  const at::Tensor in_place = alias_of(gradient);
  in_place.unsafeGetTensorImpl()->set_storage_keep_dtype(memory->owner.storage());
  return in_place;
}

}  // namespace graphed::impl
