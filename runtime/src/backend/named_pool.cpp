// SPDX-License-Identifier: Apache-2.0
#include "backend/backend.h"

#include <graphed/callables.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace graphed::impl {
namespace {

struct pool_on_a_device {
  std::weak_ptr<pool> memory;
  c10::Device device{c10::kCPU};
};

// Never destroyed: callables in static storage are made before it and live longer.
struct pools_by_name {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, pool_on_a_device> pools;  ///< by name and device
};

pools_by_name& registered() {
  static auto& made = *new pools_by_name;
  return made;
}

}  // namespace

std::shared_ptr<pool> named_pool(const char* name, backend& backend, c10::Device device) {
  if (name == nullptr) {
    return backend.make_pool(device);
  }
  auto& [mutex, pools] = registered();
  const std::lock_guard lock(mutex);
  auto& [known, where] = pools[{name, device.str()}];
  auto found = known.lock();
  if (!found) {
    found = backend.make_pool(device);
    known = found;
    where = device;
  }
  return found;
}

}  // namespace graphed::impl

namespace graphed {
using namespace impl;

std::vector<NamedPoolBytes> named_pools() {
  std::vector<NamedPoolBytes> found;
  auto& [mutex, pools] = registered();
  const std::lock_guard lock(mutex);
  for (const auto& [name, held] : pools) {
    if (const auto memory = held.memory.lock()) {
      found.push_back({name.first, held.device, memory->bytes()});
    }
  }
  return found;
}

}  // namespace graphed
