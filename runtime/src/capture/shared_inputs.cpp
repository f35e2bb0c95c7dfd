// SPDX-License-Identifier: Apache-2.0
#include "capture/shared_inputs.h"

#include "backend/staging.h"
#include "torch/raw_tensors.h"

#include <ATen/EmptyTensor.h>
#include <c10/core/Allocator.h>
#include <c10/core/InferenceMode.h>

#include <memory>
#include <utility>

namespace graphed::impl {
namespace {

// The largest tensor that LibTorch's allocator puts beside others in segments of 2 MiB.
constexpr std::size_t largest_small = std::size_t{1} << 20;
// That of the allocator's own memory, for the same bits as on it.
constexpr std::size_t alignment = 512;

std::size_t bytes_of(const TensorSpec& spec) {
  return at::detail::computeStorageNbytes(spec.shape, strides_of(spec, spec.shape), c10::elementSize(spec.dtype));
}

std::size_t room_for(const TensorSpec& spec) { return (bytes_of(spec) + alignment - 1) / alignment * alignment; }

// With a storage of its own, by which the parts are told apart.
at::Tensor tensor_at(void* place, const TensorSpec& spec, const std::shared_ptr<c10::DataPtr>& memory) {
  using owner = std::shared_ptr<c10::DataPtr>;
  const c10::InferenceMode normal_tensor(false);
  const c10::Device device = memory->device();
  c10::DataPtr pointer(place, new owner(memory), [](void* held) { delete static_cast<owner*>(held); }, device);
  auto storage = c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), bytes_of(spec), std::move(pointer),
                                                       c10::GetAllocator(device.type()), /*resizable=*/true);
  return tensor_over(c10::Storage(std::move(storage)), spec.shape, strides_of(spec, spec.shape), spec.dtype);
}

}  // namespace

bool is_worth_sharing(const TensorSpec& spec) { return bytes_of(spec) > largest_small; }

shared_inputs make_shared_inputs(const SampleSpec& sample, const std::vector<bool>& chosen, pool_order& order) {
  std::size_t room = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    room += chosen[i] ? room_for(sample.tensors[i]) : 0;
  }
  shared_inputs made{std::vector<at::Tensor>(chosen.size())};
  const auto memory = room == 0 ? nullptr : order.memory_of_replays(room);
  if (!memory) {
    return made;
  }
  made.bytes_added = memory.use_count() == 1 ? room : 0;
  auto* place = static_cast<char*>(memory->get());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) {
      made.tensors[i] = tensor_at(place, sample.tensors[i], memory);
      place += room_for(sample.tensors[i]);
    }
  }
  return made;
}

}  // namespace graphed::impl
