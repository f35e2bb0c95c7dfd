// SPDX-License-Identifier: Apache-2.0
#include "instances.h"

#include <ATen/ATen.h>

namespace instances {

template <class Step, int64_t Rows>
Tensor repeated(const Tensor& x, int times) {
  Tensor y = x + static_cast<double>(Rows);
  for (int i = 0; i < times; ++i) {
    y = Step::apply(y);
  }
  return y;
}
template Tensor repeated<Doubling, 2>(const Tensor&, int);
template Tensor repeated<Negating, 3>(const Tensor&, int);

template <class T, Scalar Factor, optim::Mode Mode, char Letter>
Tensor marked(const Tensor& x) {
  return x * static_cast<int64_t>(Factor) + static_cast<int64_t>(Mode) + Letter;
}
template Tensor marked<int (*)(optim::Mode, Scalar), two, optim::Mode::up, '\''>(const Tensor&);

template <class Number>
Tensor Power<Number>::operator()(const Tensor& x, bool add) const {
  return add ? x.pow(exponent) + x : x.pow(exponent);
}
template <class Number>
std::pair<Tensor, Tensor> Power<Number>::both(const Tensor& x) {
  return {x.cos(), x.sin()};
}
template struct Power<int>;
template struct Power<double>;

template <int64_t Rows>
Tensor Around<Rows>::Inner::forward(const Tensor& x) const {
  return x * factor + Rows;
}
template struct Around<4>;

Tensor Power<bool>::operator()(const Tensor& x) const { return x.tan(); }

template <class Step>
Tensor Tools::once(const Tensor& x) const {
  return Step::apply(x);
}
template Tensor Tools::once<Doubling>(const Tensor&) const;

BaseImpl::BaseImpl() : weight(register_parameter("weight", torch::ones({3, 2}))) {}
Tensor BaseImpl::forward(const Tensor& x) { return x.matmul(weight); }
Tensor OverridingImpl::forward(const Tensor& x) { return x.matmul(weight).relu() - 1; }

}  // namespace instances
