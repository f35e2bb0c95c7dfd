// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/host_ring.h"

#include "backend/cuda/cleanup.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/order.h"
#include "backend/cuda/stream.h"

#include <ATen/cuda/PinnedMemoryAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <graphed/error.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace graphed::impl {
namespace {

static_assert(words_of_entry == host_ring::alignment && kernel_threads == host_ring::most_words &&
              delivery_capacity == host_ring::most_results_in_words);

event_handle make_end_event(unsigned flags) {
  cudaEvent_t event = nullptr;
  C10_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | flags));
  return event_handle(event);
}

/// When a launch has ended.
struct launch_end {
  enum class kind : uint8_t { none, slept_for, spun_for, unrecorded };

  const event_handle slept_for = make_end_event(cudaEventBlockingSync);  ///< the thread sleeps: another one may need the core
  const event_handle spun_for = make_end_event(0);
  std::atomic<kind> is{kind::none};
};

// An event that a thread can sleep for interrupts a core when it comes: the caller's own one, by chance, and then for 35 microseconds
// (measured on an H100). Any event costs half a microsecond. A result that is polled for needs none. So after this many launches without a
// wait, the next wait spins. On the default stream, which lives as long as the process, that wait records the event: later than the launch,
// which is right.
constexpr int launches_with_sleep = 64;

class cuda_host_ring final : public host_ring {
 public:
  cuda_host_ring(c10::Device device, std::size_t bytes, host_results_form form, std::string prefix)
      : host_ring(bytes, form),
        device_(device),
        prefix_(std::move(prefix)),
        is_polled_(form.are_there),
        memory_(allocate(bytes * entries)) {
    std::memset(memory_.get(), 0, bytes * entries);  // no call has the number 0
  }
  // Launches in flight still use it; what they report has no reader any more.
  ~cuda_host_ring() override {
    const relaxed_capture_mode relaxed;
    for (std::size_t i = 0; i < entries; ++i) {
      warn_if_thrown("waiting for a graph", [&] {
        if (synchronize(i) != cudaSuccess) {
          static_cast<void>(cudaGetLastError());
        }
      });
    }
  }
  cuda_host_ring& operator=(cuda_host_ring&&) = delete;

  void note_launch(std::size_t index) noexcept override {
    try {
      const c10::cuda::CUDAGuard on_device(device_);
      const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(device_.index()).stream();
      ends_[index].is = record(ends_[index], stream);
    } catch (const std::exception&) {  // of a device that cannot be used
    }
  }

  void wait(std::size_t index) override {
    if (ends_[index].is == launch_end::kind::none) {
      return;
    }
    to_be_slept_for_ = launches_with_sleep;
    const relaxed_capture_mode relaxed;
    const cudaError_t state = synchronize(index);
    if (state != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      cuda_backend().check_usable(device_, prefix_);
      C10_CUDA_CHECK(state);
    }
    ends_[index].is = launch_end::kind::none;
  }

 private:
  launch_end::kind record(const launch_end& end, cudaStream_t stream) noexcept {
    using kind = launch_end::kind;
    const bool sleeps = !is_polled_ || to_be_slept_for_ > 0;
    if (!sleeps && is_default(stream)) {
      return kind::unrecorded;
    }
    to_be_slept_for_ -= is_polled_ && sleeps ? 1 : 0;
    const event_handle& event = sleeps ? end.slept_for : end.spun_for;
    return cudaEventRecord(event.get(), stream) != cudaSuccess ? kind::none : sleeps ? kind::slept_for : kind::spun_for;
  }
  cudaError_t synchronize(std::size_t index) const {
    const launch_end& end = ends_[index];
    if (end.is == launch_end::kind::none || (end.is == launch_end::kind::unrecorded && is_written(index))) {
      return cudaSuccess;
    }
    if (end.is == launch_end::kind::unrecorded) {
      const c10::cuda::CUDAGuard on_device(device_);
      if (const cudaError_t failure = cudaEventRecord(end.slept_for.get(), cudaStreamLegacy); failure != cudaSuccess) {
        return failure;
      }
    }
    return cudaEventSynchronize((end.is == launch_end::kind::spun_for ? end.spun_for : end.slept_for).get());
  }
  static c10::DataPtr allocate(std::size_t bytes) {
    const relaxed_capture_mode relaxed;
    return at::cuda::getPinnedMemoryAllocator()->allocate(bytes);
  }
  char* memory() const override { return static_cast<char*>(memory_.get()); }
  [[noreturn]] void fail() const override {
    cuda_backend().check_usable(device_, prefix_);
    throw Error(prefix_ + "its graph was launched, but has written no results");
  }

  const c10::Device device_;
  const std::string prefix_;
  const bool is_polled_;  ///< whether launches write results
  const c10::DataPtr memory_;
  std::array<launch_end, entries> ends_;
  std::atomic<int> to_be_slept_for_{launches_with_sleep};
};

// A block writes 16 KiB in some rounds; a few fill the bus.
unsigned blocks_for(std::size_t bytes) { return static_cast<unsigned>(std::clamp<std::size_t>(bytes / (std::size_t{16} << 10), 1, 32)); }

}  // namespace

std::shared_ptr<host_ring> make_cuda_host_ring(c10::Device device, std::size_t bytes, host_results_form form, const std::string& prefix) {
  const c10::cuda::CUDAGuard on_device(device);
  return std::make_shared<cuda_host_ring>(device, bytes, form, prefix);
}

void capture_delivery(const delivery& results, cudaStream_t stream) {
  std::size_t next = 0;
  do {
    delivery_table table{};
    table.address = static_cast<const uint64_t*>(results.address.const_data_ptr());
    table.finished = static_cast<unsigned*>(results.finished.mutable_data_ptr());
    table.number = static_cast<const uint64_t*>(results.number.const_data_ptr());
    std::size_t most = 0;
    for (; next < results.parts.size() && table.count < delivery_capacity; ++next, ++table.count) {
      const auto& part = results.parts[next];
      table.from[table.count] = reinterpret_cast<uint64_t>(part.from.const_data_ptr());
      table.to[table.count] = part.to;
      table.bytes[table.count] = part.from.nbytes();
      most = std::max(most, part.from.nbytes());
    }
    table.is_last = next == results.parts.size();
    void* arguments[] = {&table};
    const bool in_words = results.form.words != 0;
    C10_CUDA_CHECK(cudaLaunchKernel(in_words ? delivery_in_words_kernel() : delivery_kernel(), dim3(in_words ? 1 : blocks_for(most)),
                                    dim3(kernel_threads), arguments, 0, stream));
  } while (next < results.parts.size());
}

}  // namespace graphed::impl
