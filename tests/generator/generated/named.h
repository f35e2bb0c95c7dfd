// SPDX-License-Identifier: Apache-2.0
//
// Annotations of declarations that outside.h holds, of parameters without names, and of private methods; named.cpp defines the last two.
#pragma once

#include "outside.h"

#include <graphed/annotate.h>
#include <graphed/callable.h>

namespace named {

using outside::scaled;
constexpr int64_t kSize = 3;

GRAPHED_FOR(&scaled, x: f32[kSize] grad, factor: key);
GRAPHED_FOR(&scaled, x: f32[5] grad, factor: key);
GRAPHED_FOR(&outside::unnamed, _1: f32[2], _2: key; warmup = 1);
GRAPHED_FOR(graphed::overload<at::Tensor(const at::Tensor&, const at::Tensor&)>(&outside::both), x: f32[2], y: f32[2]);
GRAPHED_FOR((&outside::times<double, 4>), x: f32[2]);
GRAPHED_FOR(&outside::Net::forward, x: f32[2]);
GRAPHED_FOR(&outside::Net::operator(), x: f32[2]);
GRAPHED_FOR(&outside::Net::doubled, x: f32[2]);

GRAPHED(_1: f32[2] grad, n: key)
at::Tensor partly(const at::Tensor&, int64_t n);

class Trainer {
 public:
  static void expect_equal();

 private:
  friend struct graphed::access;

  GRAPHED(x: f32[2])
  at::Tensor step(const at::Tensor& x);

  GRAPHED(x: f32[2])
  static at::Tensor halved(const at::Tensor& x);

  GRAPHED(x: f32[2])
  at::Tensor mixed(const at::Tensor& x) const;
  at::Tensor mixed(const at::Tensor& x, const at::Tensor& y) const;

  double factor_ = 0.5;
};

}  // namespace named
