// SPDX-License-Identifier: Apache-2.0
//
// Small definitions of the annotated callables, each with operators whose result shows every argument.
#include "samples.h"

#include <ATen/ATen.h>

namespace samples {

Tensor product(const Tensor& x, const Tensor& w) { return x.matmul(w).tanh(); }
Tensor arithmetic(const Tensor& x, const std::vector<Tensor>& y) { return x.sum() + at::stack(y).cos(); }
Tensor brought(const Tensor& x, const Tensor& y) { return x.sum().tanh() + y.cos(); }
Tensor divided(const Tensor& x, const std::vector<Tensor>& y, const Tensor& z, const Tensor& w) {
  return x.sum() + at::stack(y).sum() * (z.defined() ? z + w : w);
}
Tensor padded(const Tensor& x, const Tensor& w) { return (x.unsqueeze(2) * w).sum(1).tanh(); }
std::pair<Tensor, Tensor> repeated(const Tensor& x, int n) { return {x.exp() * n, (x - n).sin()}; }
void added(Tensor& x, const Tensor& y) { x.add_(y); }
Tensor of_three_kinds(const Tensor& x, bool negate) { return negate ? -x.sin() : x.sin(); }
Tensor of_lengths(const std::vector<Tensor>& hs, const Tensor& x, at::TensorList ws, const graphed::Scalar& scale) {
  return at::stack(hs).cumsum(0).sum(0) * x + at::stack(ws).sin().sum(0) * scale.like(x);
}
Tensor counted(const std::vector<Tensor>& hs, const Tensor& x) {
  Tensor sum = x.sin();
  for (const Tensor& h : hs) {
    sum = sum * 2 + h.cos().sum(0);
  }
  return sum;
}
Tensor maybe_empty(const std::vector<Past>& past, const Tensor& x) {
  Tensor sum = x.sin();
  for (const Past& each : past) {
    sum = sum * each.key + each.value.sum();
  }
  return sum;
}
Tensor always_empty(const Tensor& x, at::TensorList none) { return none.empty() ? x.cos() : x + at::stack(none).sum(0); }
void of_gradients(Tensor& x, const Tensor& y) { x.mul_(y); }
Tensor clashing(const Tensor& at) { return at * 2; }
Tensor Layer::forward(const Tensor& x) const { return x * factor; }

}  // namespace samples
