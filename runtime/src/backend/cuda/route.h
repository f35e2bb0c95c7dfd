// SPDX-License-Identifier: Apache-2.0
//
// Routing what is allocated to a private pool of one of LibTorch's caching allocators.
#pragma once

#include "backend/cuda/cleanup.h"

#include <c10/core/Allocator.h>
#include <cuda_runtime_api.h>

#include <functional>

namespace graphed {

/// Whether what is allocated for a stream goes to the pool.
using stream_filter = std::function<bool(cudaStream_t)>;
inline bool no_stream(cudaStream_t /*stream*/) { return false; }

/// No other pool of the process has it.
c10::MempoolId_t new_pool_id();

/// Until stop(), allocations go to the pool; its memory is kept until this dies. `Memory` is one of the allocators and a pool of it.
template <class Memory>
class route {
 public:
  route(Memory memory, const stream_filter& filter) : memory_(memory) {
    try {
      memory_.begin(filter);
    } catch (...) {  // refused because the pool is routed to already, after its use had been counted
      warn_if_thrown("releasing a memory pool", [&] { memory_.release(); });
      throw;
    }
  }
  ~route() {
    if (routing_) {
      warn_if_thrown("ending allocation to a memory pool", [&] { memory_.end(); });
    }
    warn_if_thrown("releasing a memory pool", [&] { memory_.release(); });
  }
  route(const route&) = delete;
  route& operator=(const route&) = delete;

  void stop() {
    memory_.end();
    routing_ = false;
  }

 private:
  const Memory memory_;
  bool routing_ = true;
};

}  // namespace graphed
