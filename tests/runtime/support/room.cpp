// SPDX-License-Identifier: Apache-2.0
#include "room.h"

#include <c10/core/Allocator.h>

#ifdef GRAPHED_WITH_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#endif

#include <cstddef>

namespace graphed::testing {
namespace {

class limited_allocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    constexpr std::size_t small = std::size_t{1} << 16U, impossible = std::size_t{1} << 60U;
    return host_->allocate(is_full && bytes > small ? impossible : bytes);
  }
  c10::DeleterFnPtr raw_deleter() const override { return host_->raw_deleter(); }
  void copy_data(void* to, const void* from, std::size_t count) const override { host_->copy_data(to, from, count); }

  bool is_full = false;

 private:
  c10::Allocator* const host_ = c10::GetAllocator(c10::kCPU);
};

limited_allocator& host_memory() {
  static auto& made = *new limited_allocator;
  static const bool installed = (c10::SetAllocator(c10::kCPU, &made, /*priority=*/255), true);
  static_cast<void>(installed);
  return made;
}

}  // namespace

void set_room(c10::Device device, bool is_there) {
  if (device.is_cpu()) {
    host_memory().is_full = !is_there;
    return;
  }
#ifdef GRAPHED_WITH_CUDA
  c10::cuda::CUDACachingAllocator::setMemoryFraction(is_there ? 1.0 : 0.0, device.index());
#endif
}

void give_back_cached_memory(c10::Device device) {
#ifdef GRAPHED_WITH_CUDA
  if (!device.is_cpu()) {
    c10::cuda::device_synchronize();
    c10::cuda::CUDACachingAllocator::emptyCache();
  }
#endif
  static_cast<void>(device);
}

}  // namespace graphed::testing
