// SPDX-License-Identifier: Apache-2.0
#include "torch/allocations.h"

namespace graphed::impl {

void device_allocations::reportMemoryUsage(void* memory, int64_t size, std::size_t /*allocated*/, std::size_t /*reserved*/,
                                           c10::Device device) {
  if (size > 0 && !device.is_cpu()) {
    const std::lock_guard lock(mutex_);
    if (is_listed_) {
      list_.emplace_back(memory, size);
    }
    if (is_paused_) {
      begins_.erase(memory);
    } else {
      begins_.insert(memory);
    }
  }
}

void device_allocations::set_paused(bool paused) {
  const std::lock_guard lock(mutex_);
  is_paused_ = paused;
}

void device_allocations::begin_list() {
  const std::lock_guard lock(mutex_);
  is_listed_ = true;
  list_.clear();
}

device_allocations::list device_allocations::end_list() {
  const std::lock_guard lock(mutex_);
  is_listed_ = false;
  return std::exchange(list_, {});
}

bool device_allocations::hold(const c10::StorageImpl* storage) const {
  if (storage == nullptr || storage->device().is_cpu()) {
    return false;
  }
  const std::lock_guard lock(mutex_);
  return begins_.count(storage->data()) != 0;
}

}  // namespace graphed::impl
