// SPDX-License-Identifier: Apache-2.0
#include "objects.h"

namespace objects {

template struct Generic<float>;
template struct Generic<int>;

Tensor ByPointer::run(const Tensor& x) { return spare == nullptr ? model->forward(x) : model->forward(x) + spare->forward(x); }

Tensor Private::run(const Tensor& x) { return (model_.forward(x) + other_->forward(x)) * settings_.factor; }

Tensor InContainers::run(const Tensor& x) {
  Tensor y = x;
  for (const Net& each : list) {
    y = y + each->forward(x);
  }
  y = y + pair_of_nets[1]->forward(x) + with_tensor.first->forward(x) * with_tensor.second + owned->forward(x) + wrapped.get().forward(x);
  y = perhaps ? y + (*perhaps)->forward(x) : y;
  for (const auto& [name, net] : by_name) {
    y = y + net->forward(x);
  }
  for (const Actor& each : actors) {
    y = y + each.net->forward(x) * each.gain;
  }
  y = shared_actor ? y + shared_actor->net->forward(x) * shared_actor->gain : y;
  for (const NetImpl* each : plain_array) {
    y = each == nullptr ? y : y + each->forward(x);
  }
  return y;
}

Tensor Assigning::run(const Tensor& x) {
  ++calls;
  last = x * factor;
  return last + 1;
}

Tensor Recurrent::run(const Tensor& x) {
  hidden = at::tanh(x + hidden);
  return hidden;
}

Tensor Elsewhere::run(const Tensor& x) { return x * factor * config.temperature; }

}  // namespace objects
