// SPDX-License-Identifier: Apache-2.0
#include "backend/backend.h"

#include <graphed/pool.h>

#include <graphed/capture.h>
#include <graphed/error.h>

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <array>
#include <atomic>

namespace graphed::impl {
namespace {

auto& backends() {
  static std::array<backend*, static_cast<std::size_t>(c10::COMPILE_TIME_MAX_DEVICE_TYPES)> table{};
  return table;
}

}  // namespace

backend* backend_for(c10::DeviceType type) { return backends()[static_cast<std::size_t>(type)]; }

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

static uint64_t next_pool() {
  static std::atomic<uint64_t> number{0};
  return ++number;
}

pool::pool() : number_(next_pool()) {}

void pool::add(pool_user& user) {
  const std::lock_guard lock(mutex_);
  users_.push_back(&user);
  note_sole();
}

void pool::remove(pool_user& user) {
  const std::lock_guard lock(mutex_);
  users_.erase(std::remove(users_.begin(), users_.end(), &user), users_.end());
  note_sole();
}

bool pool::make_way(const pool_user& runner, uint64_t capture, std::thread::id thread) {
  if (sole_ == &runner) {
    return true;
  }
  const std::lock_guard lock(mutex_);
  return std::all_of(users_.begin(), users_.end(), [&](pool_user* user) { return user == &runner || user->make_way(capture, thread); });
}

void register_backend(c10::DeviceType type, backend* implementation) { backends()[static_cast<std::size_t>(type)] = implementation; }

// Each stage is over before the next: what a capture changed is put back before the graph is instantiated.
std::unique_ptr<executable> backend::capture(c10::Device device, pool& pool, const std::shared_ptr<recording>& seen,
                                             c10::function_ref<void(open_capture&)> body,
                                             c10::function_ref<void(const captured_graph&)> inspect, capture_lane lane,
                                             std::size_t branches) {
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
  return PoolHandle(where.implementation.make_pool(where.device), where.device);
}

MemPoolGuard::MemPoolGuard(const MemPool& pool) : pool_(pool.handle().pool_), route_(pool_->route_this_thread()) {}

MemPoolGuard::~MemPoolGuard() = default;

}  // namespace graphed
