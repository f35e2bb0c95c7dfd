// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/random.h"

#include "backend/backend.h"

#include <ATen/Context.h>
#include <ATen/cuda/EmptyTensor.h>
#include <ATen/ops/fill_cuda_dispatch.h>
#include <c10/cuda/CUDAGuard.h>

#include <utility>

namespace graphed {

namespace {

// Of the domain's stream, on which no kernel runs, whatever stream is captured: it goes back to later graphs.
at::Tensor device_integer(const order_domain& domain, const at::Generator& generator) {
  const c10::cuda::CUDAStreamGuard on_stream(domain.capture_stream());
  return at::Tensor(at::detail::empty_cuda({1}, at::kLong, generator.device(), std::nullopt));
}

// Past the dispatcher: neither autograd modes nor a recording see it.
void write(at::Tensor& to, uint64_t value) { at::cuda::fill_(to, static_cast<int64_t>(value)); }

}  // namespace

random_numbers::random_numbers(at::Generator generator, at::Tensor seed, at::Tensor offset, uint64_t increment)
    : generator_(std::move(generator)), seed_(std::move(seed)), offset_(std::move(offset)), increment_(increment) {}

void random_numbers::write(const philox_position& position) {
  if (written_seed_ != position.seed) {
    graphed::write(seed_, position.seed);
    written_seed_ = position.seed;
  }
  graphed::write(offset_, position.offset);
}

static const at::Generator& default_generator(c10::DeviceIndex device) {
  return at::globalContext().defaultGenerator(c10::Device(c10::kCUDA, device));
}

void refuse_captured_generator(c10::DeviceIndex device) { refuse_captured(default_generator(device)); }

generator_capture::generator_capture(order_domain& domain)
    : generator_(default_generator(domain.device())),
      seed_(device_integer(domain, generator_)),
      offset_(device_integer(domain, generator_)),
      captured_(generator_, seed_, offset_) {}

std::optional<random_numbers> generator_capture::drawn() const {
  const uint64_t increment = captured_.drawn();
  return increment == 0 ? std::nullopt : std::optional<random_numbers>(std::in_place, generator_, seed_, offset_, increment);
}

}  // namespace graphed
