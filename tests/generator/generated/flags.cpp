// SPDX-License-Identifier: Apache-2.0
//
// Small definitions of the annotated callables, each with operators whose result shows every argument.
#include "flags.h"

#include <ATen/ATen.h>

namespace flags {

Tensor convolved(const Tensor& image, const Tensor& weight) { return at::conv2d(image, weight); }
Tensor shifted(const Tensor& volume) { return volume + 1; }

Tensor appended(const Tensor& x, Tensor& cache) {
  cache.copy_(at::cat({cache.slice(0, 1), x.unsqueeze(0)}));
  return cache.sum(0);
}
Tensor looked_up(const Tensor& x, const Tensor& table) { return table.matmul(x); }

Tensor biased(const Tensor& x, const std::optional<Tensor>& bias) { return bias ? x * 2 + *bias : x * 3; }
Tensor masked(const Tensor& x, const Tensor& mask) { return mask.defined() ? x * mask : x - 1; }
Tensor decayed(Tensor& x, const Tensor& w) { return x.mul_(w).exp(); }

Tensor every_dtype(const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d, const Tensor& e, const Tensor& f, const Tensor& g,
                   const Tensor& h, const Tensor& i, const Tensor& j, const Tensor& k, const Tensor& l, const Tensor& m, const Tensor& n) {
  return a + b + c + d + e.to(at::kFloat) + f.to(at::kFloat) + g + h + i + j + k + l + m + n;
}

Tensor retained(const Tensor& x) { return x.exp().sin(); }
Tensor accumulated(const Tensor& x) { return (x * x).sin(); }
Tensor in_flight(const Tensor& x) { return x.exp().sin(); }
Tensor first_of_pool(const Tensor& x) { return x.exp().cos(); }
Tensor second_of_pool(const Tensor& x) { return x.tanh().sin(); }

Tensor stepped(const Tensor& x, const graphed::Scalar& lr, int n, graphed::Scalar bias) {
  return x * lr.like(x) * n + bias.tensor(x.device());
}
Tensor spread(graphed::Scalar value) { return value.tensor(at::kCPU).expand({3}) * 2; }

Tensor first_of_many(const Tensor& x, double factor) { return x.narrow(0, 0, 3) * factor; }

}  // namespace flags

namespace forms {
at::Tensor of_two_headers(const at::Tensor& x, const at::Tensor& y) noexcept { return x - y; }
}  // namespace forms
