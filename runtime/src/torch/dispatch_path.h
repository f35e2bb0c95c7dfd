// SPDX-License-Identifier: Apache-2.0
//
// What the dispatcher has still to do with an operator, and which kernels LibTorch has for it.
#pragma once

#include "torch/tensors_of.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/util/ArrayRef.h>

namespace graphed::impl {

/// The rest of an operator's way to its kernel, below the place where it was intercepted.
class dispatch_path {
 public:
  explicit dispatch_path(c10::DispatchKeySet left) : left_(left) {}
  /// What is left below every place of interception for an operator with these arguments, which was not intercepted. What makes a tensor
  /// from none has a way without a device.
  static dispatch_path for_arguments(c10::ArrayRef<c10::IValue> arguments) {
    c10::DispatchKeySet all;
    for (const auto& argument : arguments) {
      for_each_tensor(argument, [&all](const at::Tensor& tensor) { all = tensor.defined() ? all | tensor.key_set() : all; });
    }
    return dispatch_path(all & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, c10::DispatchKey::ADInplaceOrView));
  }
  /// Nothing is left but the CPU's kernel.
  static dispatch_path to_cpu_kernel() { return dispatch_path(c10::DispatchKeySet(c10::DispatchKey::CPU)); }

  /// Goes on, with the operator's arguments on the stack, which then holds its results.
  void call(const c10::OperatorHandle& op, torch::jit::Stack& stack) const { op.redispatchBoxed(left_, &stack); }
  /// Whether the operator is next taken apart into others, for lack of a kernel of its own.
  bool takes_apart(const c10::OperatorHandle& op) const {
    return op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) &&
           !op.hasKernelForAnyDispatchKey(c10::DispatchKeySet(left_.highestPriorityTypeId()));
  }
  bool is_to_cpu_kernel() const { return left_.highestPriorityTypeId() == c10::DispatchKey::CPU; }
  /// Whether a tensor among the arguments is on a device other than the CPU.
  bool leaves_cpu() const { return left_.highestBackendKey() > c10::BackendComponent::CPUBit; }
  /// Whether one is on a CUDA device.
  bool reaches_cuda() const { return left_.has_backend(c10::BackendComponent::CUDABit); }

 private:
  c10::DispatchKeySet left_;
};

/// Whether no kernel below autograd is the operator's own, so that only its parts are met there.
inline bool is_made_of_parts(const c10::OperatorHandle& op) {
  return !op.hasKernelForDispatchKey(c10::DispatchKey::CPU) && !op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd);
}
inline bool has_cpu_kernel(const c10::OperatorHandle& op) { return op.hasKernelForDispatchKey(c10::DispatchKey::CPU); }
/// Whether its CPU kernel is one class, which differs with its own result and with a given one by who makes the tensor. Known by the key
/// under which LibTorch registers that of its own operators, for those backends that have no kernel of their own; other libraries may use
/// it for anything.
inline bool is_structured(const c10::OperatorHandle& op) {
  return op.operator_name().name.rfind("aten::", 0) == 0 && has_cpu_kernel(op) &&
         op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutogradNonFunctional);
}

}  // namespace graphed::impl
