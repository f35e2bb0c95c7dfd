// SPDX-License-Identifier: Apache-2.0
#include "torch/raw_composites.h"

#include "torch/interception.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/max_pool1d.h>
#include <ATen/ops/max_pool1d_native.h>
#include <c10/core/GradMode.h>
#include <torch/library.h>

namespace graphed {
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

}  // namespace

void install_raw_composites() {
  static const torch::Library library = [] {
    torch::Library made(torch::Library::IMPL, "aten", c10::DispatchKey::AutogradCPU, __FILE__, __LINE__);
    made.impl("max_pool1d", TORCH_FN(max_pool1d));
    return made;
  }();
}

}  // namespace graphed
