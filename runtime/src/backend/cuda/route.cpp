// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/route.h"

#include <ATen/Context.h>
#include <ATen/cuda/MemPool.h>

namespace graphed {

c10::MempoolId_t new_pool_id() {
  at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
  return at::cuda::MemPool::graph_pool_handle(/*is_user_created=*/false);
}

}  // namespace graphed
