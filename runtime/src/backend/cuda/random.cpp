// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/random.h"

#include "backend/backend.h"

#include <ATen/Context.h>
#include <ATen/cuda/EmptyTensor.h>
#include <ATen/ops/fill_cuda_dispatch.h>
#include <c10/cuda/CUDAGuard.h>

namespace graphed::impl {

namespace {

// Whatever stream is captured, memory of the domain's, which goes back to later graphs.
at::Tensor device_integer(const order_domain& domain, const at::Generator& generator) {
  const c10::cuda::CUDAStreamGuard on_stream(domain.memory_stream());
  return at::Tensor(at::detail::empty_cuda({1}, at::kLong, generator.device(), std::nullopt));
}

// The default one. Throws foreign_capture where something captures it, as LibTorch's own captures do up to 2.11.
const at::Generator& free_generator(c10::DeviceIndex device) {
  const auto& generator = at::globalContext().defaultGenerator(c10::Device(c10::kCUDA, device));
  if (is_captured(generator)) {
    throw foreign_capture("the default generator of the device is part of another capture");
  }
  return generator;
}

}  // namespace

// Past the dispatcher: neither autograd modes nor a recording see it.
void random_numbers::write(const philox_position& position) {
  if (written_seed_ != position.seed) {
    at::cuda::fill_(memory_.seed, static_cast<int64_t>(position.seed));
    written_seed_ = position.seed;
  }
  at::cuda::fill_(memory_.offset, static_cast<int64_t>(position.offset));
}

std::optional<random_numbers> capture_draws::of_a_replay() const {
  const uint64_t increment = generator_.drawn();
  return increment == 0 ? std::nullopt : std::optional<random_numbers>(std::in_place, memory_, increment);
}

void refuse_captured_generator(c10::DeviceIndex device) { static_cast<void>(free_generator(device)); }

philox_memory::philox_memory(const order_domain& domain)
    : generator(free_generator(domain.device())), seed(device_integer(domain, generator)), offset(device_integer(domain, generator)) {}

}  // namespace graphed::impl
