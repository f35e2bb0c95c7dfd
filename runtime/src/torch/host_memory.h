// SPDX-License-Identifier: Apache-2.0
//
// The bytes of tensors in the memory of the host, by which a write shows that no operator declares.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>

#include <cstddef>
#include <functional>
#include <string_view>

namespace graphed::impl {

inline bool has_host_bytes(const at::Tensor& tensor) {
  return tensor.defined() && tensor.has_storage() && tensor.is_cpu() && tensor.storage().nbytes() != 0;
}

/// Of all its bytes.
inline std::size_t hash_of(const c10::StorageImpl& memory) {
  return std::hash<std::string_view>()({static_cast<const char*>(memory.data()), memory.nbytes()});
}

}  // namespace graphed::impl
