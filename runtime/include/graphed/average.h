// SPDX-License-Identifier: Apache-2.0
//
// Averages of parameters, and target networks that follow others, by foreach operators: in eager code and inside graphed callables.
//
// Python: torch.optim.swa_utils.get_ema_multi_avg_fn and AveragedModel; the loops that RL code writes over zip(targets, sources).
#pragma once

#include <graphed/export.h>

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

namespace torch::nn {
class Module;
}

namespace graphed {

/// Each of `averages` moves by the fraction `weight` to its value: average + weight * (value - average), by one lerp for each device and
/// dtype. An exponential moving average of decay d has the weight 1 - d, a target network the weight tau. Tensors that are not
/// floating-point or complex are copied. Writes in place, without history. A capture freezes the weight. Throws c10::Error where the
/// numbers of tensors or their shapes differ.
GRAPHED_API void lerp_(at::TensorList averages, at::TensorList values, double weight);
/// The same with `weight` of shape [] as a tensor on the averages' device, which each replay reads; as average * (1 - weight) + weight *
/// value.
GRAPHED_API void lerp_(at::TensorList averages, at::TensorList values, const at::Tensor& weight);
/// Copies: a target network's first value, or its hard update.
GRAPHED_API void copy_(at::TensorList targets, at::TensorList values);

/// All parameters of `averages`, a module like `values`, move by the fraction `weight`; its buffers are copied, as batch normalisation's
/// statistics are averages already. Throws c10::Error where the modules differ.
GRAPHED_API void lerp_(torch::nn::Module& averages, const torch::nn::Module& values, double weight);
/// Copies parameters and buffers.
GRAPHED_API void copy_(torch::nn::Module& targets, const torch::nn::Module& values);

}  // namespace graphed
