// SPDX-License-Identifier: Apache-2.0
#include "torch/interception.h"

#include "torch/private_member.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/max_pool1d.h>
#include <ATen/ops/max_pool1d_native.h>
#include <ATen/ops/one_hot.h>
#include <ATen/ops/one_hot_native.h>
#include <c10/core/GradMode.h>
#include <torch/library.h>

namespace graphed::impl {

bool is_taken(interception_place place) { return c10::Dispatcher::singleton().hasBackendFallbackForDispatchKey(key_of(place)); }

namespace {

template <interception_place place>
struct intercepted {
  static inline interceptor meet = nullptr;

  static void step_in(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    meet(op, dispatch_path(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, key_of(place))), *stack);
  }

  static void install(interceptor given) {
    constexpr auto key = key_of(place);
    TORCH_CHECK(!is_taken(place), "graphed: this LibTorch has a fallback on the dispatch key ", key, " already");
    meet = given;
    static torch::Library library(torch::Library::IMPL, "_", key, __FILE__, __LINE__);
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&step_in>());
  }
};

}  // namespace

void install_interceptor(interception_place place, interceptor meet) {
  if (place == interception_place::above_autograd) {
    intercepted<interception_place::above_autograd>::install(meet);
  } else {
    intercepted<interception_place::below_autograd>::install(meet);
  }
}

bool are_operators_intercepted(interception_place place) {
  return c10::impl::tls_is_dispatch_key_included(key_of(place)) && !c10::impl::tls_is_dispatch_key_excluded(key_of(place));
}

namespace {

// LibTorch's own has two ways: by max_pool1d_with_indices, an operator, where a gradient is wanted, else by a kernel.
at::Tensor max_pool1d(const at::Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef stride, at::IntArrayRef padding,
                      at::IntArrayRef dilation, bool ceil_mode) {
  const bool wants_gradient = (c10::GradMode::is_enabled() && self.requires_grad()) || self._fw_grad(/*level=*/0).defined();
  if (wants_gradient || !are_operators_intercepted(interception_place::below_autograd)) {
    return at::native::max_pool1d(self, kernel_size, stride, padding, dilation, ceil_mode);
  }
  const at::AutoDispatchBelowADInplaceOrView to_the_recorder;
  return at::max_pool1d(self, kernel_size, stride, padding, dilation, ceil_mode);
}

// LibTorch's own looks on the host at whether all of the classes are there, which the operator as a whole may do in each replay.
at::Tensor one_hot(const at::Tensor& self, int64_t num_classes) {
  if (!are_operators_intercepted(interception_place::below_autograd)) {
    return at::native::one_hot(self, num_classes);
  }
  const at::AutoDispatchBelowADInplaceOrView to_the_recorder;
  return at::one_hot(self, num_classes);
}

}  // namespace

void install_raw_composites() {
  static const torch::Library library = [] {
    torch::Library made(torch::Library::IMPL, "aten", c10::DispatchKey::AutogradCPU, __FILE__, __LINE__);
    made.impl("max_pool1d", TORCH_FN(max_pool1d));
    made.impl("one_hot", TORCH_FN(one_hot));
    return made;
  }();
}

struct recorded_inputs : member_of<at::RecordFunction, c10::ArrayRef<const c10::IValue>> {
  friend pointer pointer_to(recorded_inputs);
};
template struct opened<recorded_inputs, &at::RecordFunction::inputs_>;

c10::ArrayRef<const c10::IValue> inputs_of(const at::RecordFunction& function) { return function.*pointer_to(recorded_inputs()); }

}  // namespace graphed::impl
