// SPDX-License-Identifier: Apache-2.0
#include <graphed/clip_grad.h>

#include "optim/algorithm.h"
#include "watch/recorder.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <c10/core/GradMode.h>

#include <algorithm>

namespace graphed {

using namespace impl;

std::vector<optim::tensors> optim::gradient_groups(at::TensorList parameters) {
  std::vector<tensors> groups;
  for (const at::Tensor& parameter : parameters) {
    const at::Tensor& gradient = gradient_of(parameter);
    if (!gradient.defined()) {
      continue;
    }
    TORCH_CHECK(gradient.layout() == at::kStrided, "graphed: a gradient is not dense");
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return group[0].device() == gradient.device() && group[0].scalar_type() == gradient.scalar_type();
    });
    if (group == groups.end()) {
      groups.push_back({gradient});
    } else {
      group->push_back(gradient);
    }
  }
  return groups;
}

namespace {

using optim::tensors;

at::Tensor norm_of(const std::vector<tensors>& groups, double norm_type) {
  const c10::Device device = groups[0][0].device();
  tensors norms;
  for (const tensors& group : groups) {
    for (const at::Tensor& norm : at::_foreach_norm(group, norm_type)) {
      norms.push_back(norm.to(device, /*non_blocking=*/true));
    }
  }
  return at::linalg_vector_norm(at::stack(norms), norm_type);
}

template <class Number>
at::Tensor clip(at::TensorList parameters, const Number& max_norm, double norm_type) {
  const c10::NoGradGuard no_grad;
  const auto groups = optim::gradient_groups(parameters);
  if (groups.empty()) {
    return at::zeros({});
  }
  const at::Tensor norm = norm_of(groups, norm_type);
  const at::Tensor scale = at::clamp_max((norm + 1e-6).reciprocal() * max_norm, 1.0);
  for (const tensors& group : groups) {
    at::_foreach_mul_(group, scale.to(group[0].device(), /*non_blocking=*/true));
  }
  return norm;
}

}  // namespace

at::Tensor clip_grad_norm_(at::TensorList parameters, double max_norm, double norm_type) { return clip(parameters, max_norm, norm_type); }

at::Tensor clip_grad_norm_(at::TensorList parameters, const at::Tensor& max_norm, double norm_type) {
  return clip(parameters, max_norm, norm_type);
}

void clip_grad_value_(at::TensorList parameters, double clip_value) {
  const c10::NoGradGuard no_grad;
  for (const tensors& group : optim::gradient_groups(parameters)) {
    at::_foreach_clamp_min_(group, -clip_value);
    at::_foreach_clamp_max_(group, clip_value);
  }
}

}  // namespace graphed
