// SPDX-License-Identifier: Apache-2.0
//
// Clipping gradients without waiting for a device, in eager code and inside graphed callables.
//
// Python: torch.nn.utils.clip_grad_norm_ and clip_grad_value_, bit for bit. C++: torch::nn::utils::clip_grad_norm_ reads the norm on the
// host, which a capture refuses.
#pragma once

#include <graphed/export.h>

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

namespace graphed {

/// Scales the gradients of `parameters`, in place, so that the norm of all of them together is at most `max_norm`, to within
/// max_norm * 1e-6 / norm. `norm_type` is p of the p-norm; infinity is the largest absolute value. Undefined gradients are passed over.
/// Returns the norm before: of shape [], on the device of the first gradient; 0 on the CPU where there is none. It may be infinite or NaN,
/// and then the gradients are: what to do is the caller's to say. A capture freezes the two numbers. Gradients are dense, of any devices
/// and floating-point dtypes. Throws c10::Error for sparse ones.
GRAPHED_API at::Tensor clip_grad_norm_(at::TensorList parameters, double max_norm, double norm_type = 2.0);

/// The same with `max_norm` of shape [] as a tensor on the device of the first gradient, which each replay reads.
GRAPHED_API at::Tensor clip_grad_norm_(at::TensorList parameters, const at::Tensor& max_norm, double norm_type = 2.0);

/// Clamps each element of the gradients to [-clip_value, clip_value], in place. NaN stays NaN.
GRAPHED_API void clip_grad_value_(at::TensorList parameters, double clip_value);

}  // namespace graphed
