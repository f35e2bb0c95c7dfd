// SPDX-License-Identifier: Apache-2.0
//
// A callable for each flag, dtype, live scalar and option of captures; flags.cpp defines them.
#pragma once

#include <graphed/annotate.h>
#include <graphed/scalar.h>

#include <torch/types.h>

#include <optional>

namespace flags {

using torch::Tensor;

GRAPHED(image: f32[2, 3, 8, 8] grad channels_last, weight: f32[4, 3, 3, 3] grad)
Tensor convolved(const Tensor& image, const Tensor& weight);

GRAPHED(volume: f32[1, 2, 3, 4, 5] channels_last)
Tensor shifted(const Tensor& volume);

GRAPHED(x: f32[3], cache: f32[4, 3] static inplace)
Tensor appended(const Tensor& x, Tensor& cache);

GRAPHED(x: f32[3], table: f32[5, 3] static grad)
Tensor looked_up(const Tensor& x, const Tensor& table);

GRAPHED(x: f32[2] grad, bias: f32[2] grad optional)
Tensor biased(const Tensor& x, const std::optional<Tensor>& bias);

GRAPHED(x: f32[2], mask: bool[2] optional)
Tensor masked(const Tensor& x, const Tensor& mask);

GRAPHED(x: f32[3] grad inplace, w: f32[3] grad)
Tensor decayed(Tensor& x, const Tensor& w);

GRAPHED(a: f64[2], b: f32[2], c: f16[2], d: bf16[2], e: f8e4m3[2], f: f8e5m2[2], g: c64[2], h: c128[2], i: i64[2], j: i32[2],
        k: i16[2], l: i8[2], m: u8[2], n: bool[2])
Tensor every_dtype(const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d, const Tensor& e, const Tensor& f, const Tensor& g,
                   const Tensor& h, const Tensor& i, const Tensor& j, const Tensor& k, const Tensor& l, const Tensor& m, const Tensor& n);

GRAPHED(x: f32[3] grad; slots = 3)
Tensor in_flight(const Tensor& x);

GRAPHED(x: f32[3] grad; pool = shared)
Tensor first_of_pool(const Tensor& x);

GRAPHED(x: f32[3] grad; pool = shared)
Tensor second_of_pool(const Tensor& x);

GRAPHED(x: f32[3] grad; slots = 1)
Tensor retained(const Tensor& x);

GRAPHED(x: f32[3] grad; grads = in_graph)
Tensor accumulated(const Tensor& x);

GRAPHED(x: f32[3] grad, lr: live, n: key, bias: live)
Tensor stepped(const Tensor& x, const graphed::Scalar& lr, int n, graphed::Scalar bias = 1);

GRAPHED(value: live)
Tensor spread(graphed::Scalar value);

constexpr int64_t kLarge = 4 * 1024 * 1024;  // floats

GRAPHED(x: f32[kLarge], factor: key)
Tensor first_of_many(const Tensor& x, double factor);

}  // namespace flags

namespace forms {
GRAPHED(x: f32[2], y: f32[2])
at::Tensor of_two_headers(const at::Tensor& x, const at::Tensor& y) noexcept;
}  // namespace forms
