// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/replay_memory.h"

#include "backend/cuda/order.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>

#include <map>
#include <mutex>

namespace graphed {
namespace {

struct block {
  std::weak_ptr<c10::DataPtr> memory;
  std::size_t bytes = 0;
};

}  // namespace

// It belongs to the capture stream: once its last graph has died it goes to a later graph of the domain, whose replays come later.
std::shared_ptr<c10::DataPtr> replay_memory(const order_domain& domain, std::size_t bytes) {
  static auto& mutex = *new std::mutex;
  static auto& blocks = *new std::map<const order_domain*, block>;
  const std::lock_guard lock(mutex);
  block& latest = blocks[&domain];
  auto memory = latest.memory.lock();
  if (!memory || latest.bytes < bytes) {
    const c10::cuda::CUDAStreamGuard on_stream(domain.capture_stream());
    memory = std::make_shared<c10::DataPtr>(c10::cuda::CUDACachingAllocator::get()->allocate(bytes));
    latest = {memory, bytes};
  }
  return memory;
}

}  // namespace graphed
