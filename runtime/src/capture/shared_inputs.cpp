// SPDX-License-Identifier: Apache-2.0
#include "capture/shared_inputs.h"

#include "backend/staging.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>

#include <memory>

namespace graphed::impl {
namespace {

// The largest tensor that LibTorch's allocator puts beside others in segments of 2 MiB.
constexpr std::size_t largest_small = std::size_t{1} << 20;
// That of the allocator's own memory, for the same bits as on it.
constexpr std::size_t alignment = 512;

// None for those that cost nothing where they are.
std::size_t room_for(const TensorSpec& spec) {
  const std::size_t bytes = at::detail::computeStorageNbytes(spec.shape, strides_of(spec, spec.shape), c10::elementSize(spec.dtype));
  return bytes > largest_small ? (bytes + alignment - 1) / alignment * alignment : 0;
}

// With a storage of its own, by which the parts are told apart.
at::Tensor tensor_at(void* place, const TensorSpec& spec, const std::shared_ptr<c10::DataPtr>& memory) {
  const c10::InferenceMode normal_tensor(false);
  return at::for_blob(place, spec.shape)
      .strides(strides_of(spec, spec.shape))
      .deleter([memory](void* /*place*/) {})
      .options(at::TensorOptions(spec.dtype).device(memory->device()))
      .target_device(memory->device())
      .make_tensor();
}

}  // namespace

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
    if (chosen[i] && room_for(sample.tensors[i]) != 0) {
      made.tensors[i] = tensor_at(place, sample.tensors[i], memory);
      place += room_for(sample.tensors[i]);
    }
  }
  return made;
}

}  // namespace graphed::impl
