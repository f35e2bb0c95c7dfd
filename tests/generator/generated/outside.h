// SPDX-License-Identifier: Apache-2.0
//
// Stands for a library's header: it knows nothing of graphed. outside.cpp defines what it declares.
#pragma once

#include <torch/types.h>

namespace outside {

at::Tensor scaled(const at::Tensor& x, double factor = 2);
at::Tensor unnamed(const at::Tensor&, bool);
at::Tensor both(const at::Tensor& x);
at::Tensor both(const at::Tensor& x, const at::Tensor& y);

template <class Number, int Factor>
at::Tensor times(const at::Tensor& x) {
  return x * static_cast<Number>(Factor);
}

struct Net {
  at::Tensor forward(const at::Tensor& x);
  at::Tensor operator()(const at::Tensor& x) const;
  static at::Tensor doubled(const at::Tensor& x);

  double slope = 3;
};

}  // namespace outside
