// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/host_pool.h"

#include "backend/cuda/spare_pools.h"

#include <ATen/core/CachingHostAllocator.h>

namespace graphed {
namespace {

// Never destroyed: graphs in static storage die late.
spare_pools<const order_domain*>& idle_pools() {
  static auto& pools = *new spare_pools<const order_domain*>;
  return pools;
}

// One use of it never ends, so that it can be used again.
c10::MempoolId_t make_pool() {
  const host_memory made{new_pool_id()};
  made.begin(no_stream);
  made.end();
  return made.id;
}

c10::MempoolId_t take_or_make(order_domain& domain) {
  domain.wait_on_host();  // what replays may still read is not written
  const auto idle = idle_pools().take_one(&domain);
  return idle ? *idle : make_pool();
}

}  // namespace

void host_memory::begin(const stream_filter& filter) const {
  at::getHostAllocator(at::kCUDA)->begin_allocate_to_pool(
      id, [filter](c10::Stream stream) { return filter(c10::cuda::CUDAStream(c10::cuda::CUDAStream::UNCHECKED, stream).stream()); });
}

void host_memory::end() const { at::getHostAllocator(at::kCUDA)->end_allocate_to_pool(id); }

void host_memory::release() const { at::getHostAllocator(at::kCUDA)->release_pool(id); }

host_pool::host_pool(order_domain& domain) : domain_(domain), id_(take_or_make(domain)) {}

host_pool::~host_pool() { idle_pools().add(&domain_, id_); }

}  // namespace graphed
