// SPDX-License-Identifier: Apache-2.0
//
// Pools that no graph uses, for a later capture.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/Device.h>

#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace graphed {

/// Those of each device. Thread safety: all members.
class spare_pools {
 public:
  void add(c10::DeviceIndex device, c10::MempoolId_t pool) {
    const std::lock_guard lock(mutex_);
    pools_[device].push_back(pool);
  }
  std::optional<c10::MempoolId_t> take_one(c10::DeviceIndex device) {
    const std::lock_guard lock(mutex_);
    auto& spare = pools_[device];
    if (spare.empty()) {
      return std::nullopt;
    }
    const c10::MempoolId_t taken = spare.back();
    spare.pop_back();
    return taken;
  }
  std::vector<c10::MempoolId_t> take_all(c10::DeviceIndex device) {
    const std::lock_guard lock(mutex_);
    return std::exchange(pools_[device], {});
  }

 private:
  std::mutex mutex_;
  std::map<c10::DeviceIndex, std::vector<c10::MempoolId_t>> pools_;
};

}  // namespace graphed
