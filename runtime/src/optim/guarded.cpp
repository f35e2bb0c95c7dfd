// SPDX-License-Identifier: Apache-2.0
#include "optim/guarded.h"

#include <ATen/Functions.h>

namespace graphed::optim {

void update_unless(const at::Tensor& found_inf, const batch& batch, c10::function_ref<void()> update) {
  tensors changed = batch.parameters;
  for (ParamState* state : batch.states) {
    for (const at::Tensor* tensor : state->tensors()) {
      if (tensor->defined()) {
        changed.push_back(*tensor);
      }
    }
  }
  tensors before;
  for (const at::Tensor& tensor : changed) {
    before.push_back(tensor.clone());
  }
  update();
  const at::Tensor skip = found_inf.reshape({}).eq(1);
  for (std::size_t i = 0; i < changed.size(); ++i) {
    at::where_out(changed[i], skip, before[i], changed[i]);
  }
}

}  // namespace graphed::optim
