// SPDX-License-Identifier: Apache-2.0
//
// Capturing a graph as a transaction. at::cuda::CUDAGraph cannot be unwound once something throws between its begin and its end: the stream
// stays capturing, the allocator keeps routing to the pool, the generator refuses to draw. Here each piece is an object that undoes what it
// did.
#pragma once

#include "backend/backend.h"
#include "backend/cuda/order.h"

#include <c10/core/Allocator.h>

namespace graphed::impl {

/// Whether `stream` is inside a capture, or is the legacy stream, whose use would break one.
bool is_capturing(cudaStream_t stream);

/// A capture on the request's stream, or on the domain's. Throws CaptureError inside a capture, error for the default stream.
std::unique_ptr<open_capture> begin_capture(order_domain& domain, const capture_request& request);

}  // namespace graphed::impl
