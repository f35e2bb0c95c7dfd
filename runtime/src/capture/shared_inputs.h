// SPDX-License-Identifier: Apache-2.0
//
// Static inputs in memory that captures have in common whose replays run one after another. Each writes its inputs before it reads them:
// so what counts is the largest capture's inputs, not the sum of all.
#pragma once

#include "backend/pool_order.h"

#include <graphed/impl/spec.h>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace graphed::impl {

struct shared_inputs {
  std::vector<at::Tensor> tensors;  ///< at their places; undefined where an input gets memory of its own
  uint64_t bytes_added = 0;         ///< to what other captures hold already
};

/// Those of the static inputs that are `chosen` and large, where captures of this order have memory for them: smaller ones lie in a segment
/// that a capture's pool has anyway. Before the capture, under its lock.
shared_inputs make_shared_inputs(const SampleSpec& sample, const std::vector<bool>& chosen, pool_order& order);

}  // namespace graphed::impl
