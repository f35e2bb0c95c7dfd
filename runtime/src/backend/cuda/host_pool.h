// SPDX-License-Identifier: Apache-2.0
//
// Pools of pinned host memory. LibTorch's allocator keeps some 50 KB for each pool that it was ever asked for, so that a later capture gets
// the pool of one whose graphs have died.
#pragma once

#include "backend/cuda/order.h"
#include "backend/cuda/route.h"

namespace graphed {

/// LibTorch's allocator of pinned memory, and a pool of it.
struct host_memory {
  c10::MempoolId_t id;
  void begin(const stream_filter& filter) const;
  void end() const;
  void release() const;
};

/// The pool of one capture of a domain, or of one after another. Not inside a capture.
class host_pool {
 public:
  /// Waits for the replays of graphs that had it.
  explicit host_pool(order_domain& domain);
  ~host_pool();
  host_pool(const host_pool&) = delete;
  host_pool& operator=(const host_pool&) = delete;

  host_memory memory() const { return {id_}; }

 private:
  order_domain& domain_;
  const c10::MempoolId_t id_;
};

}  // namespace graphed
