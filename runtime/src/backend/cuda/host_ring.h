// SPDX-License-Identifier: Apache-2.0
//
// Pinned memory of the host, and how the end of a graph writes results there.
#pragma once

#include "backend/backend.h"

#include <cuda_runtime_api.h>

#include <memory>
#include <string>

namespace graphed::impl {

std::shared_ptr<host_ring> make_cuda_host_ring(c10::Device device, std::size_t bytes, host_results_form form, const std::string& prefix);
/// Queues it on `stream`, which is being captured.
void capture_delivery(const delivery& results, cudaStream_t stream);

}  // namespace graphed::impl
