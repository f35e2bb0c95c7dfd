// SPDX-License-Identifier: Apache-2.0
#include <graphed/average.h>

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <vector>

namespace graphed {
namespace {

using tensors = std::vector<at::Tensor>;

struct pairs {
  tensors into, from;
};

void check(at::TensorList into, at::TensorList from) {
  TORCH_CHECK(into.size() == from.size(), "graphed: an average of ", from.size(), " tensors in ", into.size());
  for (std::size_t i = 0; i < into.size(); ++i) {
    TORCH_CHECK(into[i].sizes() == from[i].sizes(), "graphed: an average of a tensor of shape ", from[i].sizes(), " in one of shape ",
                into[i].sizes());
  }
}

bool has_average(const at::Tensor& tensor) { return at::isFloatingType(tensor.scalar_type()) || at::isComplexType(tensor.scalar_type()); }

// By device and dtype.
std::vector<pairs> groups_of(at::TensorList into, at::TensorList from) {
  std::vector<pairs> groups;
  for (std::size_t i = 0; i < into.size(); ++i) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const pairs& group) {
      return group.into[0].device() == into[i].device() && group.into[0].scalar_type() == into[i].scalar_type();
    });
    if (group == groups.end()) {
      group = groups.insert(group, pairs());
    }
    group->into.push_back(into[i]);
    group->from.push_back(from[i]);
  }
  return groups;
}

template <class F>
void move(at::TensorList averages, at::TensorList values, F&& by) {
  const c10::NoGradGuard no_grad;
  check(averages, values);
  for (const pairs& group : groups_of(averages, values)) {
    if (has_average(group.into[0])) {
      by(group);
    } else {
      at::_foreach_copy_(group.into, group.from);
    }
  }
}

}  // namespace

void lerp_(at::TensorList averages, at::TensorList values, double weight) {
  move(averages, values, [&](const pairs& group) { at::_foreach_lerp_(group.into, group.from, weight); });
}

void lerp_(at::TensorList averages, at::TensorList values, const at::Tensor& weight) {
  move(averages, values, [&](const pairs& group) {
    at::_foreach_mul_(group.into, 1 - weight);
    at::_foreach_add_(group.into, at::_foreach_mul(group.from, weight));
  });
}

void copy_(at::TensorList targets, at::TensorList values) {
  move(targets, values, [](const pairs& group) { at::_foreach_copy_(group.into, group.from); });
}

void lerp_(torch::nn::Module& averages, const torch::nn::Module& values, double weight) {
  lerp_(averages.parameters(), values.parameters(), weight);
  copy_(averages.buffers(), values.buffers());
}

void copy_(torch::nn::Module& targets, const torch::nn::Module& values) {
  copy_(targets.parameters(), values.parameters());
  copy_(targets.buffers(), values.buffers());
}

}  // namespace graphed
