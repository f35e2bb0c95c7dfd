// SPDX-License-Identifier: Apache-2.0
//
// A source file with a callable of its own, and the code that is generated for it.
#include <graphed/annotate.h>
#include <torch/types.h>

namespace {

GRAPHED(x: f32[16, 3] grad, w: f32[3, 3] grad)
torch::Tensor rotated(const torch::Tensor& x, const torch::Tensor& w) { return x.matmul(w); }

}  // namespace

#include "source.graphed.h"

torch::Tensor rotate(const torch::Tensor& x, const torch::Tensor& w) {
  static graphed::callable<&rotated> fast;
  return fast(x, w);
}
