// SPDX-License-Identifier: Apache-2.0
//
// Private pools of the caching allocators, for device memory and for pinned host memory, and the shares that keep them.
#pragma once

#include "backend/backend.h"
#include "backend/cuda/order.h"

#include <c10/core/Allocator.h>

#include <memory>
#include <mutex>

namespace graphed::impl {

/// A share in a pool, and a pool of pinned host memory. What one capture allocates is there and stays until the share dies; the same holds
/// for what its thread allocates before.
class pool_share {
 public:
  /// Must come before the capture begins: a thread that frees memory in between must find it known.
  pool_share(order_domain& domain, c10::MempoolId_t pool);
  ~pool_share();
  pool_share& operator=(pool_share&&) = delete;

  /// Of one capture after another, or of several.
  void accept(c10::CaptureId_t capture);
  /// The capture has ended.
  void stop();

 private:
  struct routes;
  std::unique_ptr<routes> routes_;
};

/// A pool's memory lives until the pool, every share and every tensor in it have died.
class cuda_pool final : public pool {
 public:
  explicit cuda_pool(c10::DeviceIndex device);

  c10::MempoolId_t id() const { return id_; }
  /// Segments that the allocator has reserved for it; pinned host memory is not counted.
  uint64_t bytes() const override;
  std::shared_ptr<void> route_this_thread() override;
  /// From the first request on, as a capture makes one.
  order_domain& order() override;

 private:
  const c10::DeviceIndex device_;
  const c10::MempoolId_t id_;
  std::once_flag asked_for_order_;
  std::shared_ptr<order_domain> order_;
  const std::shared_ptr<void> anchor_;  // the allocator refuses a pool that nothing has a share in
};

/// Before a capture, in which the allocator cannot return cached memory to the device: returns that of pools which have died. It returns
/// the rest if the warm-ups since the last capture have left much, or if little else is free. That waits for the device.
void make_room(c10::DeviceIndex device);

}  // namespace graphed::impl
