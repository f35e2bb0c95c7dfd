// SPDX-License-Identifier: Apache-2.0
//
// Whether all peers compute the same.
#pragma once

#include "workload.h"

#include <c10/core/Device.h>

#include <string>
#include <vector>

namespace benchmarks {

/// Runs each peer and the original function on equal states, side by side, and compares results, gradients and state after a call with each
/// batch, bit for bit. Returns for
/// each peer the first difference, or nothing. `graphed` must have been replayed for each call after its warm-ups.
std::vector<std::string> first_differences(const entry& entry, const std::vector<std::string>& peers, c10::Device device);

}  // namespace benchmarks
