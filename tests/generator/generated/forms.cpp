// SPDX-License-Identifier: Apache-2.0
//
// Small definitions of the annotated callables, each with operators whose result shows every argument.
#include "forms.h"

#include <ATen/ATen.h>

at::Tensor at_global_scope(const at::Tensor& x) { return x + 1; }

namespace forms {

Tensor product(const Tensor& x, const Tensor& w) { return at::relu(x.matmul(w)); }
Tensor by_value(Tensor x) { return x.cos(); }
void add_into(Tensor& x, const Tensor& y) { x.add_(y); }
Tensor with_bias(const Tensor& x, const std::optional<Tensor>& bias) { return bias ? x * *bias : x * 2; }
Tensor with_optional_by_value(const Tensor& x, std::optional<Tensor> y) { return y ? x - *y : x; }
Tensor stacked(const std::vector<Tensor>& hs, const Tensor& x) { return at::stack(hs).sin() * x; }
Tensor listed(const Tensor& x, at::TensorList hs) { return at::cat(hs) * at::cat({x, x}); }

Tensor scaled(const Tensor& x, bool twice, int steps, Mode mode, double eps, const std::string& name) {
  Tensor y = mode == Mode::twice ? x * 2 : -x;
  for (int step = 0; step < steps; ++step) {
    y = y.sin() + eps;
  }
  return (twice ? y * 2 : y) + static_cast<double>(name.size());
}

Tensor reshaped(const Tensor& x, at::IntArrayRef sizes, std::optional<double> scale, const std::optional<Mode>& mode,
                torch::ScalarType dtype, std::optional<torch::Device> device) {
  const Tensor y = (mode == Mode::negated ? -x : x).view(sizes).to(device.value_or(x.device()), dtype);
  return scale ? y * *scale : y.sin();
}

Tensor reduced(const Tensor& x, const Reduction& by, std::vector<double> weights) {
  Tensor y = x;
  for (const std::string& step : by.steps) {
    y = step == "exp" ? y.exp() : y.abs();
  }
  for (const double weight : weights) {
    y = y * weight;
  }
  return y.sum(by.dims, by.keepdim.value_or(false));
}

Tensor combined(const Tensor& x, const at::Scalar& alpha, const Powers& by, const std::optional<at::Scalar>& beta,
                at::ArrayRef<at::Scalar> rest) {
  Tensor y = at::add(x * by.base, x, alpha).pow(by.exponent);
  y = beta ? y.add(*beta) : y;
  for (const at::Scalar& each : rest) {
    y = each.isBoolean() ? y.logical_xor(at::full({}, each, y.options())) : y * each;
  }
  return y;
}

Tensor added(const Tensor& x, const at::Scalar& alpha, at::Scalar beta, std::optional<at::Scalar> gamma) {
  return (x + alpha) * beta - x.eq(gamma.value_or(0)).to(at::kLong);
}

std::tuple<Tensor, Tensor, Tensor> three(const Tensor& x) { return {x.exp(), x + 1, x.sum()}; }
std::pair<Tensor, Tensor> two(const Tensor& x) { return {x.exp(), x * 3}; }
std::array<Tensor, 2> halves(const Tensor& x) { return {x.slice(0, 0, 2) * 2, x.slice(0, 2, 4) * 3}; }
std::vector<Tensor> quarters(const Tensor& x) { return {x[0] * 1, x[1] * 2, x[2] * 3, x[3] * 4}; }

Tensor nothing_given() { return at::arange(4).to(at::kFloat).sqrt(); }
Tensor filled(int64_t n) { return at::full({3}, static_cast<double>(n)) * 2; }
Tensor rank_zero(const Tensor& x) { return x.exp(); }
Tensor empty(const Tensor& x) { return x * 2; }

Tensor clashing(const Tensor& in, const Tensor& call, const Tensor& graph, const Tensor& inputs, const Tensor& body, const Tensor& engine,
                const Tensor& arguments, const Tensor& Arguments) {
  return at::cat({in, call, graph, inputs, body, engine, arguments, Arguments}) * 2;
}
Tensor clashing_with_members(const Tensor& signature, const Tensor& stats, const Tensor& reset, const Tensor& engine_,
                             const Tensor& object_, const Tensor& graphed, const Tensor& tensors, const Tensor& spec) {
  return at::cat({signature, stats, reset, engine_, object_, graphed, tensors, spec}) * 3;
}

Tensor cloned(const Tensor& x) { return x * 5; }
Tensor aliased(const Tensor& x) { return x * 6; }
Tensor overloaded(const Tensor& x) { return x * 7; }
Tensor overloaded(const Tensor& x, const Tensor& y) { return x * y; }
Tensor of_two_headers(const Tensor& x) { return x + 7; }
Tensor never_throws(const Tensor& x) noexcept { return x * 8; }

namespace inner {
Tensor product(const Tensor& x) { return x.matmul(x); }
}  // namespace inner

NetImpl::NetImpl() : weight(register_parameter("weight", torch::ones({3, 2}))), bias(register_buffer("bias", torch::ones({2}))) {}
Tensor NetImpl::forward(const Tensor& x) { return is_training() ? x.matmul(weight) + bias : x.matmul(weight); }
Tensor NetImpl::evaluate(const Tensor& x) const { return x.matmul(weight.detach()); }
Tensor NetImpl::overloaded(const Tensor& x) & { return x * bias; }
Tensor NetImpl::overloaded(const Tensor& x, const Tensor& y) const { return x * bias + y; }
Tensor NetImpl::normalized(const Tensor& x) { return x / x.norm(); }

Tensor Scale::operator()(const Tensor& x) const { return x * factor; }
Tensor Scale::Shift::operator()(const Tensor& x) noexcept { return x + by; }

Tensor retired(const Tensor& x) { return x * 11; }

}  // namespace forms

namespace impl {
at::Tensor step(const at::Tensor& x) { return x * 9; }
at::Tensor Graph::call(const at::Tensor& x) const { return x * 10; }
}  // namespace impl
