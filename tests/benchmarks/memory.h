// SPDX-License-Identifier: Apache-2.0
//
// The caching allocator's memory, in bytes. A CPU has none: nothing is done there, and nothing returned.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>

namespace benchmarks {

struct memory {
  int64_t allocated, reserved;
};

/// Waits for the device and returns what nothing uses, cuBLAS's workspaces included, without which graphs captured by hand cannot be
/// replayed: none may be alive.
void give_back_memory(c10::Device device);

/// Peaks from its construction on, beyond what was there. Construction returns memory as above.
class memory_watch {
 public:
  explicit memory_watch(c10::Device device);

  std::optional<memory> peaks() const;

 private:
  c10::Device device_;
  std::optional<memory> before_;
};

}  // namespace benchmarks
