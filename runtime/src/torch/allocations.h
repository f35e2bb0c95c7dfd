// SPDX-License-Identifier: Apache-2.0
//
// Device memory that LibTorch's allocators give while a callable runs. Kernels of TorchScript's fuser have results that no operator makes.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/StorageImpl.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_set>
#include <utility>
#include <vector>

namespace graphed::impl {

/// What LibTorch reports of memory to a thread's profiler, as c10::DebugInfoKind::PROFILER_STATE. Any thread.
class device_allocations final : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* memory, int64_t size, std::size_t allocated, std::size_t reserved, c10::Device device) override;
  /// The host's memory is not asked for: LibTorch warns of what was allocated before.
  bool memoryProfilingEnabled() const override { return false; }

  /// While it lives, what is allocated is not the callable's own.
  class pause {
   public:
    explicit pause(device_allocations& of) : of_(of) { of_.set_paused(true); }
    ~pause() { of_.set_paused(false); }
    pause& operator=(pause&&) = delete;

   private:
    device_allocations& of_;
  };

  /// The begin and the size of what is allocated.
  using list = std::vector<std::pair<const void*, int64_t>>;
  /// Begins a new list of what is allocated from now on.
  void begin_list();
  /// Returns what the list holds, and ends it.
  list end_list();

  /// Whether the memory is among them. Null is none.
  bool hold(const c10::StorageImpl* storage) const;

 private:
  void set_paused(bool paused);

  mutable std::mutex mutex_;
  bool is_paused_ = false;
  std::unordered_set<const void*> begins_;
  bool is_listed_ = false;
  list list_;
};

}  // namespace graphed::impl
