// SPDX-License-Identifier: Apache-2.0
//
// Which memory of a GPU an operator uses, as far as its arguments and results show it.
#pragma once

#include "watch/observer.h"
#include "watch/operator_order.h"

#include <ATen/core/Tensor.h>

namespace graphed::impl {

/// Whether it is strided, in the memory of a GPU, and not empty.
bool has_memory(const at::Tensor& tensor);
/// The same, but that it may be empty.
bool has_addresses(const at::Tensor& tensor);
/// From its first byte to its last one. For tensors with memory.
memory_access access_to(const at::Tensor& tensor, bool writes);

enum class memory_use {
  nothing,  ///< it queues no work, or none that uses memory
  told,     ///< that of the arguments and results, and what it allocates for itself
  unknown
};
memory_use memory_use_of(const operator_call& call);

}  // namespace graphed::impl
