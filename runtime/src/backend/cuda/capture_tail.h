// SPDX-License-Identifier: Apache-2.0
//
// Where a stream stands that is being captured: what it is given next comes after these nodes.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

namespace graphed::impl {

/// Throws CaptureError where the stream is not being captured.
std::vector<cudaGraphNode_t> capture_tail(cudaStream_t stream);
/// What the stream is given next comes after these as well.
void add_to_tail(cudaStream_t stream, std::vector<cudaGraphNode_t> nodes);
/// What the stream is given next comes after these alone.
void set_tail(cudaStream_t stream, std::vector<cudaGraphNode_t> nodes);

}  // namespace graphed::impl
