// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/random.h"

#include "backend/backend.h"

#include <ATen/Context.h>
#include <ATen/cuda/EmptyTensor.h>
#include <ATen/ops/fill_cuda_dispatch.h>
#include <c10/cuda/CUDAGuard.h>

namespace graphed::impl {

namespace {

// Of the domain's stream, on which no kernel runs, whatever stream is captured: it goes back to later graphs.
at::Tensor device_integer(const order_domain& domain, const at::Generator& generator) {
  const c10::cuda::CUDAStreamGuard on_stream(domain.capture_stream());
  return at::Tensor(at::detail::empty_cuda({1}, at::kLong, generator.device(), std::nullopt));
}

// Past the dispatcher: neither autograd modes nor a recording see it.
void write(at::Tensor& to, uint64_t value) { at::cuda::fill_(to, static_cast<int64_t>(value)); }

}  // namespace

void random_numbers::write(const philox_position& position) {
  if (written_seed_ != position.seed) {
    impl::write(memory_.seed, position.seed);
    written_seed_ = position.seed;
  }
  impl::write(memory_.offset, position.offset);
}

static const at::Generator& default_generator(c10::DeviceIndex device) {
  return at::globalContext().defaultGenerator(c10::Device(c10::kCUDA, device));
}

void refuse_captured_generator(c10::DeviceIndex device) { refuse_captured(default_generator(device)); }

philox_memory::philox_memory(const order_domain& domain)
    : generator(default_generator(domain.device())), seed(device_integer(domain, generator)), offset(device_integer(domain, generator)) {}

}  // namespace graphed::impl
