// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/host_ring.h"

#include "backend/cuda/cleanup.h"
#include "backend/cuda/kernels.h"

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

static_assert(words_of_entry == host_ring::alignment && kernel_threads == host_ring::most_words);

// The thread sleeps until such an event: another one may need the core.
event_handle make_event(c10::Device device) {
  const c10::cuda::CUDAGuard on_device(device);
  cudaEvent_t event = nullptr;
  C10_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync));
  return event_handle(event);
}

class cuda_host_ring final : public host_ring {
 public:
  cuda_host_ring(c10::Device device, std::size_t bytes, host_results_form form, std::string prefix)
      : host_ring(bytes, form), device_(device), prefix_(std::move(prefix)), memory_(allocate(bytes * entries)) {
    std::memset(memory_.get(), 0, bytes * entries);  // no call has the number 0
    for (auto& end : ends_) {
      end = make_event(device);
    }
  }
  // Launches in flight still use it; what they report has no reader any more.
  ~cuda_host_ring() override {
    const relaxed_capture_mode relaxed;
    for (std::size_t i = 0; i < entries; ++i) {
      if (is_launched_[i] && cudaEventSynchronize(ends_[i].get()) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
      }
    }
  }
  cuda_host_ring& operator=(cuda_host_ring&&) = delete;

  void note_launch(std::size_t index) noexcept override {
    try {
      const c10::cuda::CUDAGuard on_device(device_);
      const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(device_.index()).stream();
      is_launched_[index] = cudaEventRecord(ends_[index].get(), stream) == cudaSuccess;
    } catch (const std::exception&) {  // of a device that cannot be used
    }
  }

  void wait(std::size_t index) override {
    if (!is_launched_[index]) {
      return;
    }
    const relaxed_capture_mode relaxed;
    const cudaError_t state = cudaEventSynchronize(ends_[index].get());
    if (state != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      cuda_backend().check_usable(device_, prefix_);
      C10_CUDA_CHECK(state);
    }
    is_launched_[index] = false;
  }

 private:
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
  const c10::DataPtr memory_;
  std::array<event_handle, entries> ends_;
  std::array<std::atomic<bool>, entries> is_launched_{};
};

// A block writes 16 KiB in some rounds; a few fill the bus.
unsigned blocks_for(std::size_t bytes) { return static_cast<unsigned>(std::clamp<std::size_t>(bytes / (std::size_t{16} << 10), 1, 32)); }

}  // namespace

std::shared_ptr<host_ring> make_cuda_host_ring(c10::Device device, std::size_t bytes, host_results_form form, const std::string& prefix) {
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
