// SPDX-License-Identifier: Apache-2.0
#include "backend/backend.h"

#include <graphed/callables.h>
#include <graphed/capture.h>

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

namespace graphed::impl {
namespace {

// Never destroyed: callables in static storage are made before it and live longer.
struct pools_by_name {
  std::mutex mutex;
  std::map<std::tuple<std::string, c10::DeviceType, c10::DeviceIndex>, std::weak_ptr<pool>> pools;  ///< by name and device
};

pools_by_name& registered() {
  static auto& made = *new pools_by_name;
  return made;
}

}  // namespace

backend* backend_for(c10::DeviceType type) {
#ifdef GRAPHED_WITH_CUDA
  if (type == c10::kCUDA) {
    return &cuda_backend();
  }
#endif
  return type == c10::kCPU ? &tape_backend() : nullptr;
}

found_backend find_backend(c10::Device device) {
  backend* const implementation = backend_for(device.type());
  if (implementation == nullptr) {
    throw Error("graphed: nothing captures on device " + device.str() + ": " +
                (device.is_cuda() ? "the runtime was built without CUDA" : "only CUDA and CPU devices can"));
  }
  if (device.is_cpu()) {
    return {*implementation, c10::Device(c10::kCPU)};
  }
  const c10::impl::VirtualGuardImpl devices(device.type());
  const c10::DeviceIndex count = devices.deviceCount();
  if (device.index() >= count || count == 0) {
    throw Error("graphed: there is no device " + device.str() + ": " + std::to_string(count) + " found");
  }
  return {*implementation, device.has_index() ? device : devices.getDevice()};
}

void pool::add(pool_user& user) {
  const std::lock_guard lock(mutex_);
  users_.push_back(&user);
  note_sole();
}

void pool::remove(pool_user& user) {
  const std::lock_guard lock(mutex_);
  if (users_.size() > 1) {
    user.leave();
  }
  users_.erase(std::remove(users_.begin(), users_.end(), &user), users_.end());
  note_sole();
}

bool pool::make_way(const pool_user& runner, uint64_t capture, uint64_t thread) {
  if (sole_ == &runner) {
    return true;
  }
  const std::lock_guard lock(mutex_);
  return std::all_of(users_.begin(), users_.end(), [&](pool_user* user) { return user == &runner || user->make_way(capture, thread); });
}

std::shared_ptr<pool> named_pool(const char* name, backend& backend, c10::Device device) {
  if (name == nullptr) {
    return backend.make_pool(device);
  }
  auto& [mutex, pools] = registered();
  const std::lock_guard lock(mutex);
  auto& known = pools[{name, device.type(), device.index()}];
  auto found = known.lock();
  if (!found) {
    known = found = backend.make_pool(device);
    found->share();
  }
  return found;
}

// Each stage is over before the next: what a capture changed is restored before the graph is instantiated.
std::unique_ptr<executable> backend::capture(c10::Device device, pool& pool, const std::shared_ptr<recording>& seen,
                                             c10::function_ref<void(open_capture&)> body, c10::function_ref<void(captured_graph&)> inspect,
                                             capture_lane lane, std::size_t branches) {
  const lane_lock alone(pool.order().lane(lane));
  if (!alone) {
    throw foreign_capture(waited_in_vain("backward"));
  }
  auto open = begin_capture({device, pool, seen, CaptureErrorMode::Relaxed, std::nullopt, lane, branches});
  body(*open);
  const auto graph = open->end();
  open.reset();
  inspect(*graph);
  return graph->instantiate();
}

}  // namespace graphed::impl

namespace graphed {

c10::Device PoolHandle::device() const {
  if (!pool_) {
    throw Error("graphed: PoolHandle::device: the handle names no pool; graph_pool_handle() makes one");
  }
  return device_;
}

uint64_t PoolHandle::bytes_held() const { return pool_ ? pool_->bytes() : 0; }

PoolHandle graph_pool_handle(c10::Device device) {
  const auto where = impl::find_backend(device);
  std::shared_ptr<impl::pool> made = where.implementation.make_pool(where.device);
  made->share();
  return PoolHandle(std::move(made), where.device);
}

std::vector<NamedPoolBytes> named_pools() {
  std::vector<NamedPoolBytes> found;
  auto& [mutex, pools] = impl::registered();
  const std::lock_guard lock(mutex);
  for (const auto& [key, held] : pools) {
    if (const auto memory = held.lock()) {
      const auto& [name, type, index] = key;
      found.push_back({name, c10::Device(type, index), memory->bytes()});
    }
  }
  return found;
}

MemPoolGuard::MemPoolGuard(const MemPool& pool) {
  static_cast<void>(pool.device());  // throws where it was moved from
  route_ = pool.handle().pool_->route_this_thread();
}

}  // namespace graphed
