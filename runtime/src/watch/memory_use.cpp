// SPDX-License-Identifier: Apache-2.0
#include "watch/memory_use.h"

#include "torch/tensors_of.h"

#include <algorithm>

namespace graphed::impl {

bool has_addresses(const at::Tensor& tensor) {
  return tensor.is_cuda() && tensor.layout() == at::kStrided && !tensor.is_nested() && tensor.has_storage();
}

bool has_memory(const at::Tensor& tensor) { return tensor.defined() && has_addresses(tensor) && tensor.numel() != 0; }

memory_access access_to(const at::Tensor& tensor, bool writes) {
  std::size_t elements = 1;
  for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
    elements += static_cast<std::size_t>((tensor.size(dim) - 1) * tensor.stride(dim));
  }
  const auto begin = reinterpret_cast<uintptr_t>(tensor.const_data_ptr());
  return {begin, begin + elements * tensor.itemsize(), writes};
}

namespace {

bool only_views(const c10::OperatorHandle& op) {
  const auto& returns = op.schema().returns();
  return !op.schema().is_mutable() && !returns.empty() && std::all_of(returns.begin(), returns.end(), [](const c10::Argument& result) {
    return result.alias_info() != nullptr && !result.alias_info()->isWrite();
  });
}

// A number from the host is in the kernel's parameters, unless it is copied from pinned memory.
bool is_told_by_addresses(const at::Tensor& tensor, const operator_call& call) {
  return !tensor.defined() || has_addresses(tensor) || (tensor.is_cpu() && tensor.dim() == 0 && !call.has(trait::copies));
}

bool is_device(const c10::IValue& value, c10::DeviceType type) { return value.isDevice() && value.toDevice().type() == type; }

// The recorder comes before LibTorch chooses the backend of what makes a tensor from none.
bool is_on_device(const operator_call& call) {
  return call.below.reaches_cuda() ||
         std::any_of(call.arguments.begin(), call.arguments.end(), [](const c10::IValue& each) { return is_device(each, c10::kCUDA); });
}

}  // namespace

memory_use memory_use_of(const operator_call& call) {
  const auto& name = call.op.operator_name();
  if (!is_on_device(call) || call.has(trait::allocates) || (is_of_libtorch(name) && only_views(call.op))) {
    return memory_use::nothing;
  }
  bool tells_all = (is_of_libtorch(name) || is_collective(name)) && !call.op.hasTag(at::Tag::maybe_aliasing_or_mutating);
  for (const auto& argument : call.arguments) {
    tells_all &= !is_device(argument, c10::kCPU);
    for_each_tensor(argument, [&](const at::Tensor& tensor) { tells_all &= is_told_by_addresses(tensor, call); });
  }
  return tells_all ? memory_use::told : memory_use::unknown;
}

}  // namespace graphed::impl
