// SPDX-License-Identifier: Apache-2.0
//
// A source as users write it: it includes its own generated header, and uses what that will hold.
// REQUIRES: torch
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: graphgen --out-dir out step.cpp %libtorch_flags
// RUN: FileCheck step.cpp < out/step.graphed.h

//--- step.cpp
#include <graphed/annotate.h>
#include <torch/torch.h>

namespace {
constexpr int64_t kBatch = 64;

// CHECK: class graphed::callable<graphed::step_glue{{.*}}::function()> {
GRAPHED(images: f32[kBatch, 1, 8, 8], labels: i64[kBatch])
torch::Tensor step(const torch::Tensor& images, const torch::Tensor& labels) {
  return torch::nll_loss(images.flatten(1).log_softmax(1), labels);
}
}  // namespace

#include "step.graphed.h"

int main() {
  graphed::callable<&step> fast;
  const torch::Tensor loss = fast(torch::randn({kBatch, 1, 8, 8}), torch::zeros({kBatch}, torch::kLong));
  return loss.item<float>() > 0 ? 0 : 1;
}
