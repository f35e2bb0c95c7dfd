// SPDX-License-Identifier: Apache-2.0
#include "torch/dispatch_path.h"

#include "torch/tensors_of.h"

namespace graphed::impl {

dispatch_path dispatch_path::to_cpu_kernel() { return dispatch_path(c10::DispatchKeySet(c10::DispatchKey::CPU)); }

dispatch_path dispatch_path::for_arguments(c10::ArrayRef<c10::IValue> arguments) {
  c10::DispatchKeySet all;
  for (const auto& argument : arguments) {
    for_each_tensor(argument, [&all](const at::Tensor& tensor) { all = tensor.defined() ? all | tensor.key_set() : all; });
  }
  return dispatch_path(all & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, c10::DispatchKey::ADInplaceOrView));
}

bool dispatch_path::takes_apart(const c10::OperatorHandle& op) const {
  return op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) &&
         !op.hasKernelForAnyDispatchKey(c10::DispatchKeySet(left_.highestPriorityTypeId()));
}

bool dispatch_path::is_to_cpu_kernel() const { return left_.highestPriorityTypeId() == c10::DispatchKey::CPU; }

bool has_cpu_kernel(const c10::OperatorHandle& op) { return op.hasKernelForDispatchKey(c10::DispatchKey::CPU); }

bool is_structured(const c10::OperatorHandle& op) {
  return op.operator_name().name.rfind("aten::", 0) == 0 && has_cpu_kernel(op) &&
         op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutogradNonFunctional);
}

}  // namespace graphed::impl
