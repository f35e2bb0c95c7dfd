// SPDX-License-Identifier: Apache-2.0
#include <graphed/pool.h>

#include "backend/backend.h"

#include <graphed/error.h>

namespace graphed {

c10::Device PoolHandle::device() const {
  if (!pool_) {
    throw error("graphed: PoolHandle::device: the handle names no pool; graph_pool_handle() makes one");
  }
  return device_;
}

uint64_t PoolHandle::bytes_held() const { return pool_ ? pool_->bytes() : 0; }

PoolHandle graph_pool_handle(c10::Device device) {
  const auto where = find_backend(device);
  return PoolHandle(where.implementation.make_pool(where.device), where.device);
}

use_mem_pool::use_mem_pool(const MemPool& pool) : pool_(pool.handle().pool_), route_(pool_->route_this_thread()) {}

use_mem_pool::~use_mem_pool() = default;

}  // namespace graphed
