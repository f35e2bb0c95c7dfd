// SPDX-License-Identifier: Apache-2.0
#include "optim/algorithm.h"

#include <ATen/Functions.h>

namespace graphed::optim {
namespace {

tensors widened(const tensors& narrow) {
  tensors wide;
  for (const at::Tensor& tensor : narrow) {
    wide.push_back(tensor.to(at::kFloat));
  }
  return wide;
}

}  // namespace

void update_widened(const algorithm& rules, const batch& batch, c10::function_ref<void(const struct batch&)> update) {
  struct batch wide{widened(batch.parameters), widened(batch.gradients), {}, batch.numbers, batch.found_inf, batch.grad_scale};
  std::vector<std::unique_ptr<ParamState>> states;
  tensors from = wide.parameters, to = batch.parameters;
  for (ParamState* state : batch.states) {
    const auto& copy = states.emplace_back(rules.make_state());
    wide.states.push_back(copy.get());
    const auto narrow_tensors = state->tensors(), wide_tensors = copy->tensors();
    for (std::size_t i = 0; i < narrow_tensors.size(); ++i) {
      if (narrow_tensors[i]->defined()) {
        *wide_tensors[i] = narrow_tensors[i]->to(at::kFloat);  // itself, where it is float32
        from.push_back(*wide_tensors[i]);
        to.push_back(*narrow_tensors[i]);
      }
    }
  }
  update(wide);
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!to[i].is_same(from[i])) {
      to[i].copy_(from[i]);
    }
  }
}

}  // namespace graphed::optim
