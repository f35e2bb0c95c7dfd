// SPDX-License-Identifier: Apache-2.0
#include "fusion/prelude.h"

namespace graphed::impl::fusion {

// NVRTC is given no headers: conversions of half types are the instructions that those of CUDA use.
std::string_view device_prelude() {
  return R"(#define FUSED __device__ __forceinline__
#define MEMBER __device__ __forceinline__
namespace fused {
FUSED float float_of(unsigned bits) { return __uint_as_float(bits); }
FUSED double double_of(unsigned long long bits) { return __longlong_as_double(bits); }
FUSED unsigned short half_bits(float x) { unsigned short r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x)); return r; }
FUSED float half_value(unsigned short x) { float r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x)); return r; }
FUSED unsigned short bfloat16_bits(float x) { unsigned short r; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(x)); return r; }
FUSED float add(float a, float b) { return __fadd_rn(a, b); }
FUSED float sub(float a, float b) { return __fsub_rn(a, b); }
FUSED float mul(float a, float b) { return __fmul_rn(a, b); }
FUSED float div(float a, float b) { return __fdiv_rn(a, b); }
FUSED float fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
FUSED double add(double a, double b) { return __dadd_rn(a, b); }
FUSED double sub(double a, double b) { return __dsub_rn(a, b); }
FUSED double mul(double a, double b) { return __dmul_rn(a, b); }
FUSED double div(double a, double b) { return __ddiv_rn(a, b); }
FUSED double fma(double a, double b, double c) { return __fma_rn(a, b, c); }
FUSED float rsqrt(float a) { return ::rsqrtf(a); }
FUSED double rsqrt(double a) { return ::rsqrt(a); }
)";
}

std::string_view host_prelude() {
  return R"(#include <math.h>
#include <string.h>
#define FUSED static inline
#define MEMBER inline
namespace fused {
template <typename To, typename From> To bits_as(From x) { To r; memcpy(&r, &x, sizeof r); return r; }
FUSED float float_of(unsigned bits) { return bits_as<float>(bits); }
FUSED double double_of(unsigned long long bits) { return bits_as<double>(bits); }
FUSED unsigned short half_bits(float x) { return x != x ? 0x7fff : bits_as<unsigned short>((_Float16)x); }
FUSED float half_value(unsigned short x) { return (float)bits_as<_Float16>(x); }
FUSED unsigned short bfloat16_bits(float x) {
  const unsigned bits = bits_as<unsigned>(x);
  return x != x ? 0x7fff : (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
FUSED float add(float a, float b) { return a + b; }
FUSED float sub(float a, float b) { return a - b; }
FUSED float mul(float a, float b) { return a * b; }
FUSED float div(float a, float b) { return a / b; }
FUSED float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
FUSED double add(double a, double b) { return a + b; }
FUSED double sub(double a, double b) { return a - b; }
FUSED double mul(double a, double b) { return a * b; }
FUSED double div(double a, double b) { return a / b; }
FUSED double fma(double a, double b, double c) { return ::fma(a, b, c); }
FUSED float rsqrt(float a) { return 1 / ::sqrtf(a); }
FUSED double rsqrt(double a) { return 1 / ::sqrt(a); }
)";
}

std::string_view common_prelude() {
  return R"(template <int format> struct rounded {
  unsigned short bits;
  rounded() = default;
  MEMBER explicit rounded(float x) : bits(format == 16 ? half_bits(x) : bfloat16_bits(x)) {}
  MEMBER operator float() const { return format == 16 ? half_value(bits) : float_of((unsigned)bits << 16); }
};
using half = rounded<16>;
using bfloat16 = rounded<8>;
template <typename T> FUSED T of_bits(unsigned short bits) { T r; r.bits = bits; return r; }
template <typename T> FUSED T wide(T x) { return x; }
template <int format> FUSED float wide(rounded<format> x) { return x; }
template <typename To> struct to {
  template <typename T> static MEMBER To from(T x) { return (To)wide(x); }
  static MEMBER To from(To x) { return x; }
};
template <int format> struct to<rounded<format>> {
  template <typename T> static MEMBER rounded<format> from(T x) { return rounded<format>((float)wide(x)); }
  static MEMBER rounded<format> from(rounded<format> x) { return x; }
};
#define ROUNDED(T) \
  FUSED T add(T a, T b) { return T(add((float)a, (float)b)); } \
  FUSED T sub(T a, T b) { return T(sub((float)a, (float)b)); } \
  FUSED T mul(T a, T b) { return T(mul((float)a, (float)b)); } \
  FUSED T div(T a, T b) { return T(div((float)a, (float)b)); } \
  FUSED T fma(T a, T b, T c) { return add(mul(a, b), c); } \
  FUSED T neg(T a) { return T(-(float)a); } \
  FUSED T absolute(T a) { return T(::fabsf((float)a)); } \
  FUSED T larger(T a, T b) { return T(::fmaxf((float)a, (float)b)); } \
  FUSED T smaller(T a, T b) { return T(::fminf((float)a, (float)b)); } \
  FUSED float minus_product(float z, T a, T b) { return sub(z, (float)mul(a, b)); }
ROUNDED(half)
ROUNDED(bfloat16)
#define WRAPPING(T, U) \
  FUSED T add(T a, T b) { return (T)((U)a + (U)b); } \
  FUSED T sub(T a, T b) { return (T)((U)a - (U)b); } \
  FUSED T mul(T a, T b) { return (T)((U)a * (U)b); } \
  FUSED T fma(T a, T b, T c) { return add(mul(a, b), c); } \
  FUSED T neg(T a) { return (T)(0 - (U)a); } \
  FUSED T absolute(T a) { return a < 0 ? neg(a) : a; } \
  FUSED T larger(T a, T b) { return a < b ? b : a; } \
  FUSED T smaller(T a, T b) { return b < a ? b : a; } \
  FUSED T inverted(T a) { return ~a; }
WRAPPING(int, unsigned)
WRAPPING(long long, unsigned long long)
FUSED bool mul(bool a, bool b) { return a && b; }
FUSED bool fma(bool a, bool b, bool c) { return (a && b) || c; }
FUSED bool larger(bool a, bool b) { return a || b; }
FUSED bool smaller(bool a, bool b) { return a && b; }
FUSED bool inverted(bool a) { return !a; }
FUSED float neg(float a) { return -a; }
FUSED double neg(double a) { return -a; }
FUSED float absolute(float a) { return ::fabsf(a); }
FUSED double absolute(double a) { return ::fabs(a); }
FUSED float larger(float a, float b) { return ::fmaxf(a, b); }
FUSED double larger(double a, double b) { return ::fmax(a, b); }
FUSED float smaller(float a, float b) { return ::fminf(a, b); }
FUSED double smaller(double a, double b) { return ::fmin(a, b); }
template <typename T> FUSED T minus_product(T z, T a, T b) { return fma(neg(a), b, z); }
template <typename T> FUSED T clipped(T x, T low, T high) { x = x < low ? low : x; return high < x ? high : x; }
template <typename T> FUSED T infinity() { return (T)float_of(0x7f800000u); }
#define UNARY(name) \
  FUSED float name(float a) { return ::name##f(a); } \
  FUSED double name(double a) { return ::name(a); }
UNARY(exp) UNARY(exp2) UNARY(expm1) UNARY(log) UNARY(log1p) UNARY(log2) UNARY(log10) UNARY(sin) UNARY(cos) UNARY(tan)
UNARY(asin) UNARY(acos) UNARY(atan) UNARY(sinh) UNARY(cosh) UNARY(tanh) UNARY(erf) UNARY(sqrt) UNARY(floor) UNARY(ceil)
UNARY(trunc) UNARY(nearbyint)
#define BINARY(name) \
  FUSED float name(float a, float b) { return ::name##f(a, b); } \
  FUSED double name(double a, double b) { return ::name(a, b); }
BINARY(pow) BINARY(fmod) BINARY(atan2)
constexpr double half_of_sqrt2 = 0.70710678118654752440, two_over_sqrt_pi = 1.12837916709551257390;
template <typename T, int width> struct alignas(sizeof(T) * width < 16 ? sizeof(T) * width : 16) elements { T at[width]; };
)";
}

}  // namespace graphed::impl::fusion
