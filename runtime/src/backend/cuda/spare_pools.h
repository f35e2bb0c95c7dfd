// SPDX-License-Identifier: Apache-2.0
//
// Pools that no graph uses, for a later capture.
#pragma once

#include <c10/core/Allocator.h>

#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace graphed {

/// Those of each owner, a device for example. Thread safety: all members.
template <class Owner>
class spare_pools {
 public:
  void add(Owner owner, c10::MempoolId_t pool) {
    const std::lock_guard lock(mutex_);
    pools_[owner].push_back(pool);
  }
  std::optional<c10::MempoolId_t> take_one(Owner owner) {
    const std::lock_guard lock(mutex_);
    auto& spare = pools_[owner];
    if (spare.empty()) {
      return std::nullopt;
    }
    const c10::MempoolId_t taken = spare.back();
    spare.pop_back();
    return taken;
  }
  std::vector<c10::MempoolId_t> take_all(Owner owner) {
    const std::lock_guard lock(mutex_);
    return std::exchange(pools_[owner], {});
  }

 private:
  std::mutex mutex_;
  std::map<Owner, std::vector<c10::MempoolId_t>> pools_;
};

}  // namespace graphed
