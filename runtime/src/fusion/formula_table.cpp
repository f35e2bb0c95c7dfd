// SPDX-License-Identifier: Apache-2.0
//
// The table. Sources are those of LibTorch 2.11 in aten/src/ATen/native/cuda/. nvcc contracts a product and a sum to a fused multiply-add
// in float and double, also across statements: where it does is read from LibTorch's machine code for sm_90. c10::Half and c10::BFloat16
// round each operation, so that nothing is contracted there.
#include "fusion/formulas.h"

namespace graphed::impl::fusion {

namespace {

constexpr auto opmath = arithmetic::opmath;
constexpr auto dtype = arithmetic::dtype;
constexpr auto floating = dtypes::floating;
constexpr auto to_float32 = dtypes::to_float32;
constexpr auto promoted = dtypes::promoted;
constexpr auto numbers = dtypes::numbers;
constexpr auto all = dtypes::all;
constexpr auto integral = dtypes::integral;

// clang-format off
constexpr formula rows[] = {
  // ufunc/add.h, BinaryMulKernel, BinaryDivTrueKernel: numbers stay in opmath, and a number divides as a product with its inverse.
  {"aten::add", "Tensor Scalar", "xxn", opmath, all, "fma(c, b, a)"},
  {"aten::sub", "Tensor Scalar", "xxn", opmath, numbers, "fma(neg(c), b, a)"},
  {"aten::rsub", "Tensor Scalar", "xxn", opmath, numbers, "fma(neg(c), a, b)"},
  {"aten::mul", "Tensor Scalar", "xx", opmath, all, "mul(a, b)"},
  {"aten::div", "Tensor Scalar", "en", opmath, promoted, "mul(a, T(1) / b)"},
  {"aten::div", "Tensor", "xe", dtype, promoted, "div(a, b)"},
  // BinaryRemainderKernel, BinaryGeometricKernels, LogAddExpKernel, MaxMinElementwiseKernel.
  {"aten::fmod", "Tensor Scalar", "xx", dtype, floating, "T(fmod(wide(a), wide(b)))"},
  {"aten::remainder", "Tensor Scalar", "xx", dtype, floating, R"(
    const T r = T(fmod(wide(a), wide(b)));
    return r != 0 && (b < 0) != (r < 0) ? add(r, b) : r;)"},
  {"aten::atan2", "", "xx", dtype, promoted, "T(atan2(wide(a), wide(b)))"},
  {"aten::logaddexp", "", "ee", opmath, floating,
   "a == b && absolute(a) == infinity<T>() ? a : add(larger(a, b), log1p(exp(neg(absolute(sub(a, b))))))"},
  {"aten::maximum", "", "xx", dtype, all, "a != a ? a : b != b ? b : larger(a, b)"},
  {"aten::minimum", "", "xx", dtype, all, "a != a ? a : b != b ? b : smaller(a, b)"},
  // CompareEQKernel, CompareKernels, BinaryLogicalOpsKernels, BinaryBitwiseOpsKernels, UnaryOpsKernel.
  {"aten::eq", "Tensor Scalar", "xx", dtype, all, "a == b", true},
  {"aten::ne", "Tensor Scalar", "xx", dtype, all, "a != b", true},
  {"aten::lt", "Tensor Scalar", "xx", dtype, all, "a < b", true},
  {"aten::le", "Tensor Scalar", "xx", dtype, all, "a <= b", true},
  {"aten::gt", "Tensor Scalar", "xx", dtype, all, "a > b", true},
  {"aten::ge", "Tensor Scalar", "xx", dtype, all, "a >= b", true},
  {"aten::logical_and", "", "ex", dtype, all, "a != 0 && b != 0", true},
  {"aten::logical_or", "", "ex", dtype, all, "a != 0 || b != 0", true},
  {"aten::logical_xor", "", "ex", dtype, all, "(a != 0) != (b != 0)", true},
  {"aten::logical_not", "", "e", dtype, all, "a == 0", true},
  {"aten::bitwise_and", "Tensor Scalar", "xx", dtype, integral, "T(a & b)"},
  {"aten::bitwise_or", "Tensor Scalar", "xx", dtype, integral, "T(a | b)"},
  {"aten::bitwise_xor", "Tensor Scalar", "xx", dtype, integral, "T(a ^ b)"},
  {"aten::bitwise_not", "", "e", dtype, integral, "inverted(a)"},
  // TensorCompare: a NaN is returned as it is, and limits are compared as fmax and fmin do. A limit that is a NaN is filled in instead.
  {"aten::where", "self", "cee", dtype, all, "a ? b : c"},
  {"aten::masked_fill", "Scalar", "ecn", dtype, all, "b ? c : a"},
  {"aten::clamp", "", "elh", dtype, numbers, "a != a ? a : smaller(larger(a, b), c)"},
  {"aten::clamp_min", "", "el", dtype, numbers, "a != a ? a : larger(a, b)"},
  {"aten::clamp_max", "", "eh", dtype, numbers, "a != a ? a : smaller(a, b)"},
  {"aten::hardtanh", "", "enn", dtype, numbers, "a != a ? a : smaller(larger(a, b), c)"},
  {"aten::relu", "", "e", dtype, numbers, "a != a ? a : larger(a, T(0))"},
  // Copy, FillKernel.
  {"aten::copy", "", "=e", dtype, all, "a"},
  {"aten::_to_copy", "", "et", dtype, all, "a"},
  {"aten::clone", "", "e", dtype, all, "a"},
  {"aten::fill", "Scalar", "=n", dtype, all, "a"},
  {"aten::zero", "", "=", dtype, all, "T(0)"},
  // UnarySignKernels, AbsKernel, UnaryFractionKernels. Products, as a compiler drops neither those nor what they make of a NaN.
  {"aten::neg", "", "e", dtype, numbers, "mul(a, T(-1))"},
  {"aten::abs", "", "e", dtype, numbers, "mul(absolute(a), T(1))"},
  {"aten::sign", "", "e", dtype, numbers, "T(float((0 < a) - (a < 0)))"},
  {"aten::sgn", "", "e", dtype, numbers, "T(float((0 < a) - (a < 0)))"},
  {"aten::floor", "", "e", opmath, floating, "floor(a)"},
  {"aten::ceil", "", "e", opmath, floating, "ceil(a)"},
  {"aten::round", "", "e", opmath, floating, "nearbyint(a)"},
  {"aten::trunc", "", "e", opmath, floating, "trunc(a)"},
  {"aten::frac", "", "e", opmath, floating, "sub(a, trunc(a))"},
  {"aten::reciprocal", "", "e", opmath, promoted, "div(T(1), a)"},
  // PowKernel: the exponents with kernels of their own; 0 and 1 are a fill and a copy.
  {"aten::pow", "Tensor_Scalar", "ed", dtype, floating, R"(
    if (b == 0) return T(1);
    if (b == 1) return a;
    if (b == 0.5) return T(sqrt(wide(a)));
    if (b == -0.5) return T(rsqrt(wide(a)));
    if (b == -1) return div(T(1), a);
    const T exponent = T(b);
    if (exponent == 2) return mul(a, a);
    if (exponent == 3) return mul(mul(a, a), a);
    return exponent == -2 ? div(T(1), mul(a, a)) : T(pow(wide(a), wide(exponent)));)"},
  // UnaryOpsKernel, UnaryLogKernels, UnaryGeometric*Kernel, UnarySpecialOpsKernel.
  {"aten::sqrt", "", "e", opmath, promoted, "sqrt(a)"},
  {"aten::rsqrt", "", "e", opmath, promoted, "rsqrt(a)"},
  {"aten::exp", "", "e", opmath, promoted, "exp(a)"},
  {"aten::exp2", "", "e", opmath, promoted, "exp2(a)"},
  {"aten::expm1", "", "e", opmath, promoted, "expm1(a)"},
  {"aten::log", "", "e", opmath, promoted, "log(a)"},
  {"aten::log1p", "", "e", opmath, promoted, "log1p(a)"},
  {"aten::log2", "", "e", opmath, promoted, "log2(a)"},
  {"aten::log10", "", "e", opmath, promoted, "log10(a)"},
  {"aten::sin", "", "e", opmath, promoted, "sin(a)"},
  {"aten::cos", "", "e", opmath, promoted, "cos(a)"},
  {"aten::tan", "", "e", opmath, promoted, "tan(a)"},
  {"aten::asin", "", "e", opmath, promoted, "asin(a)"},
  {"aten::acos", "", "e", opmath, promoted, "acos(a)"},
  {"aten::atan", "", "e", opmath, promoted, "atan(a)"},
  {"aten::sinh", "", "e", opmath, promoted, "sinh(a)"},
  {"aten::cosh", "", "e", opmath, promoted, "cosh(a)"},
  {"aten::tanh", "", "e", opmath, promoted, "tanh(a)"},
  {"aten::erf", "", "e", opmath, promoted, "erf(a)"},
  {"aten::sigmoid", "", "e", opmath, promoted, "div(T(1), add(T(1), exp(neg(a))))"},
  // BinaryMiscBackwardOpsKernels.
  {"aten::sigmoid_backward", "", "ee", dtype, floating, "mul(mul(a, sub(T(1), b)), b)"},
  {"aten::tanh_backward", "", "ee", dtype, floating, "mul(a, fma(neg(b), b, T(1)))"},
  // Activation*Kernel.
  {"aten::threshold", "", "enn", dtype, numbers, "a <= b ? c : a"},
  {"aten::threshold_backward", "", "een", dtype, numbers, "b <= c ? T(0) : a"},
  {"aten::gelu", "", "es", opmath, floating, R"(
    if (b != 0) {
      const T inner = mul(T(half_of_sqrt2 * two_over_sqrt_pi), fma(T(0.044715), mul(mul(a, a), a), a));
      return mul(mul(T(0.5), a), add(T(1), tanh(inner)));
    }
    return mul(mul(a, T(0.5)), add(T(1), erf(mul(a, T(half_of_sqrt2)))));)"},
  {"aten::gelu_backward", "", "ees", opmath, floating, R"(
    if (c != 0) {
      const T beta = T(half_of_sqrt2 * two_over_sqrt_pi), kappa = T(0.044715);
      const T square = mul(b, b), t = tanh(mul(beta, fma(kappa, mul(square, b), b)));
      const T slope = mul(mul(mul(T(0.5), b), fma(neg(t), t, T(1))), mul(beta, fma(T(3) * kappa, square, T(1))));
      return mul(a, fma(T(0.5), add(T(1), t), slope));
    }
    const T density = mul(exp(mul(mul(T(-0.5), b), b)), T(two_over_sqrt_pi * half_of_sqrt2 * 0.5));
    return mul(a, fma(T(0.5), add(T(1), erf(mul(b, T(half_of_sqrt2)))), mul(b, density)));)"},
  {"aten::silu", "", "e", opmath, floating, "div(a, add(T(1), exp(neg(a))))"},
  // In float64 the sign of a NaN depends on an order of operands that LibTorch's source leaves to the compiler.
  {"aten::silu_backward", "", "ee", opmath, to_float32, R"(
    const T s = div(T(1), add(T(1), exp(neg(b))));
    return mul(mul(a, s), fma(b, sub(T(1), s), T(1)));)"},
  {"aten::mish", "", "e", opmath, floating, "mul(a, tanh(log1p(exp(a))))"},
  {"aten::softplus", "", "enn", opmath, floating, "mul(a, b) > c ? a : div(log1p(exp(mul(a, b))), b)"},
  {"aten::softplus_backward", "", "eenn", opmath, floating, R"(
    const T z = exp(mul(b, c));
    return mul(b, c) > d ? a : div(mul(a, z), add(z, T(1)));)"},
  // Of log_sigmoid_forward the first result: the second one is empty on a GPU.
  {"aten::log_sigmoid_forward", "", "e", opmath, floating, "sub(a < 0 ? a : T(0), log1p(exp(neg(absolute(a)))))"},
  {"aten::log_sigmoid_backward", "", "ee", opmath, floating, R"(
    const T z = exp(neg(absolute(b)));
    return mul(a, fma(b < 0 ? T(-1) : T(1), div(z, add(T(1), z)), b < 0 ? T(1) : T(0)));)"},
  {"aten::elu", "", "ennn", opmath, floating, "a > 0 ? mul(a, c) : mul(expm1(mul(a, d)), b * c)"},
  {"aten::elu_backward", "", "ennnne", opmath, floating, R"(
    if (f > 0 || f != f) return mul(a, c);
    return e != 0 ? mul(mul(a, d), add(f, b * c)) : mul(mul(mul(a, d), b * c), exp(mul(f, d)));)"},
  {"aten::leaky_relu", "", "en", opmath, floating, "a > 0 ? a : mul(a, b)"},
  {"aten::leaky_relu_backward", "", "een", opmath, floating, "b > 0 ? a : mul(a, c)"},
  {"aten::hardtanh_backward", "", "eenn", opmath, floating, "b <= c || b >= d ? T(0) : a"},
  {"aten::hardsigmoid", "", "e", opmath, floating, "mul(clipped(add(a, T(3)), T(0), T(6)), T(1.0f / 6.0f))"},
  {"aten::hardsigmoid_backward", "", "ee", opmath, floating, "b > -3 && b < 3 ? mul(a, T(1.0f / 6.0f)) : T(0)"},
  {"aten::hardswish", "", "e", opmath, floating, "mul(mul(a, clipped(add(a, T(3)), T(0), T(6))), T(1.0f / 6.0f))"},
  {"aten::hardswish_backward", "", "ee", opmath, floating, "b <= -3 ? T(0) : b < 3 ? mul(a, add(div(b, T(3)), T(0.5))) : a"},
  // PointwiseOpsKernel with DeviceAddCmulCdiv, Lerp.
  {"aten::addcmul", "", "eeen", opmath, numbers, "d == 1 ? fma(b, c, a) : fma(d, mul(b, c), a)"},
  {"aten::addcdiv", "", "eeen", opmath, floating, "d == 1 ? add(a, div(b, c)) : fma(d, div(b, c), a)"},
  {"aten::lerp", "Scalar", "een", opmath, floating,
   "absolute(c) < T(0.5) ? fma(c, sub(b, a), a) : fma(neg(sub(b, a)), sub(T(1), c), b)"},
  {"aten::lerp", "Tensor", "eee", opmath, floating,
   "absolute(c) < T(0.5) ? fma(c, sub(b, a), a) : fma(neg(sub(b, a)), sub(T(1), c), b)"},
  // BinaryMiscOpsKernels: the absolute difference of half types is a float.
  {"aten::mse_loss", "", "eez", dtype, floating, "mul(sub(a, b), sub(a, b))"},
  {"aten::smooth_l1_loss", "", "eezn", dtype, floating, R"(
    const auto z = wide(absolute(sub(a, b))), beta = wide(c);
    return z < beta ? T(div(mul(mul(wide(T(0.5)), z), z), beta)) : T(minus_product(z, T(0.5), c));)"},
  {"aten::huber_loss", "", "eezn", dtype, floating, R"(
    const auto z = wide(absolute(sub(a, b))), delta = wide(c);
    return z < delta ? T(mul(mul(wide(T(0.5)), z), z)) : T(mul(delta, minus_product(z, T(0.5), c)));)"},
  {"aten::mse_loss_backward", "", "eeeR", dtype, floating, "mul(mul(d, sub(b, c)), a)"},
  {"aten::smooth_l1_loss_backward", "", "eeern", dtype, floating, R"(
    const T x = sub(b, c);
    return x < neg(e) ? mul(neg(d), a) : x > e ? mul(d, a) : div(mul(mul(d, x), a), e);)"},
  {"aten::huber_loss_backward", "", "eeern", dtype, floating, R"(
    const T x = sub(b, c);
    return x < neg(e) ? mul(mul(neg(d), a), e) : x > e ? mul(mul(d, a), e) : mul(mul(d, x), a);)"},
};
// clang-format on

}  // namespace

c10::ArrayRef<formula> formula_rows() { return rows; }

}  // namespace graphed::impl::fusion
