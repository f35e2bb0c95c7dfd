// SPDX-License-Identifier: Apache-2.0
#include "named_pool.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace graphed {

std::shared_ptr<pool> named_pool(const char* name, backend& backend, c10::Device device) {
  if (name == nullptr) {
    return backend.make_pool(device);
  }
  static auto& mutex = *new std::mutex;
  static auto& pools = *new std::map<std::pair<std::string, std::string>, std::weak_ptr<pool>>;
  const std::lock_guard lock(mutex);
  auto& known = pools[{name, device.str()}];
  auto found = known.lock();
  if (!found) {
    found = backend.make_pool(device);
    known = found;
  }
  return found;
}

}  // namespace graphed
