// SPDX-License-Identifier: Apache-2.0
//
// Callables that are captured for several sizes: dimension variables, padding, several annotations; samples.cpp defines them.
#pragma once

#include <graphed/annotate.h>
#include <graphed/scalar.h>

#include <torch/types.h>

#include <utility>
#include <vector>

namespace samples {

using torch::Tensor;

constexpr int64_t kColumns = 3;

GRAPHED(x: f32[B, kColumns] grad, w: f32[kColumns, 2] grad; B in {8, 1, kColumns + 1})
Tensor product(const Tensor& x, const Tensor& w);

GRAPHED(x: f32[2 * B - 1, T, kColumns], y: f32[(B + T) / 2 * kColumns] * 2; B in {1, 2}, T in {2, 3})
Tensor arithmetic(const Tensor& x, const std::vector<Tensor>& y);

GRAPHED(x: f32[B, kColumns] grad, y: f32[2 * B - 1, T]; B in any kColumns, T in {2, 3})
Tensor brought(const Tensor& x, const Tensor& y);

GRAPHED(x: f32[B], y: f32[b / B] * 2, z: f32[b] optional, w: f32[b]; B in any 2, b in any 2, strict, warmup = 1)
GRAPHED(x: f32[7], y: f32[2] * 2, z: f32[20] optional, w: f32[20])
Tensor divided(const Tensor& x, const std::vector<Tensor>& y, const Tensor& z, const Tensor& w);

GRAPHED(x: f32[B, kColumns] grad, w: f32[kColumns, 2]; B in {4, 8} pad)
Tensor padded(const Tensor& x, const Tensor& w);

GRAPHED(x: f32[T, B] grad, n: key; B in {4, 8} pad repeat, T in {2, 5} pad)
std::pair<Tensor, Tensor> repeated(const Tensor& x, int n);

GRAPHED(x: f32[B] inplace, y: f32[B]; B in {6} pad)
void added(Tensor& x, const Tensor& y);

GRAPHED(x: f32[2, kColumns] grad, negate: key; warmup = 1)
GRAPHED(x: f32[B, 4], negate: key; B in {1, 5})
GRAPHED(x: f64[], negate: key; outputs = clone, warmup = kColumns - 2)
Tensor of_three_kinds(const Tensor& x, bool negate);

// Lists of other lengths in another annotation, the same number of tensors in all.
GRAPHED(hs: f32[2] grad * 2, x: f32[2] grad, ws: f32[2] * 2, scale: live)
GRAPHED(hs: f32[2] grad * 3, x: f32[2] grad, ws: f32[2] * 1, scale: live)
Tensor of_lengths(const std::vector<Tensor>& hs, const Tensor& x, at::TensorList ws, const graphed::Scalar& scale);

// A graph for each length; an empty list is one, too.
GRAPHED(hs: f32[B, 2] grad * N, x: f32[2]; N in {0, 1, 3}, B in {2, 4})
Tensor counted(const std::vector<Tensor>& hs, const Tensor& x);

struct Past {
  Tensor key, value;
};
GRAPHED(past: {key: f32[2], value: f32[3]} * 0, x: f32[2])
GRAPHED(past: {key: f32[2], value: f32[3]} * 2, x: f32[2])
Tensor maybe_empty(const std::vector<Past>& past, const Tensor& x);

GRAPHED(x: f32[2], none: f32[2] * 0)
Tensor always_empty(const Tensor& x, at::TensorList none);

GRAPHED(x: f32[3] inplace, y: f32[3])
GRAPHED(x: f32[3] grad inplace, y: f32[3]; strict)
void of_gradients(Tensor& x, const Tensor& y);

// Names that the tables use themselves.
GRAPHED(at: f32[at, graphed, tensors]; at in {1, 2}, graphed in {2}, tensors in {3, 4} pad)
Tensor clashing(const Tensor& at);

struct Layer {
  GRAPHED(x: f32[B]; B in {1, 2})
  GRAPHED(x: f32[kColumns])
  Tensor forward(const Tensor& x) const;

  double factor = 3;
};

}  // namespace samples
