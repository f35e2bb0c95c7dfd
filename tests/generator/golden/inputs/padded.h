// SPDX-License-Identifier: Apache-2.0
//
// A padded batch, and a key with a default value.
#pragma once

#include <graphed/annotate.h>
#include <torch/types.h>

namespace search {

enum class Pooling { kMean, kMax };

GRAPHED(tokens: i64[B, T], mask: bool[B, T], pooling: key; B in {1, 8} pad, T in {32, 128} pad repeat, outputs = clone)
torch::Tensor embed(const torch::Tensor& tokens, const torch::Tensor& mask, Pooling pooling = Pooling::kMean);

}  // namespace search
