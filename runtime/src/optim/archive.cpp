// SPDX-License-Identifier: Apache-2.0
#include "optim/archive.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>

#include <cmath>

namespace graphed::optim {

void assign(at::Tensor& into, const at::Tensor& value) {
  const c10::NoGradGuard no_grad;
  if (into.defined() && value.defined() && into.sizes() == value.sizes()) {
    into.copy_(value);
  } else {
    into = value.defined() ? value.clone() : at::Tensor();
  }
}

int64_t count_of(const at::Tensor& step) { return std::lround(step.item<double>()); }

void read_flag(torch::serialize::InputArchive& archive, const char* name, bool& flag) {
  c10::IValue value;
  flag = archive.try_read(name, value) && value.toBool();
}

}  // namespace graphed::optim
