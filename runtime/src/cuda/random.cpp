// SPDX-License-Identifier: Apache-2.0
#include "random.h"

#include <ATen/cuda/EmptyTensor.h>
#include <ATen/ops/fill_cuda_dispatch.h>
#include <c10/cuda/CUDAGuard.h>
#include <graphed/error.h>

#include <mutex>
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

random_numbers::position random_numbers::take() {
  const std::lock_guard<std::mutex> lock(generator_.mutex());
  auto& generator = *generator_.get<at::CUDAGeneratorImpl>();
  const position now{generator.current_seed(), generator.philox_offset_per_thread()};
  generator.set_philox_offset_per_thread(now.offset + increment_);
  return now;
}

void random_numbers::write(const position& position) {
  if (written_seed_ != position.seed) {
    graphed::write(seed_, position.seed);
    written_seed_ = position.seed;
  }
  graphed::write(offset_, position.offset);
}

generator_capture::state_access::state_access(const at::Generator& generator) {
  try {
    register_generator_state(generator);
  } catch (...) {
    captured_generator_states_.clear();  // half registered: the base's destructor would throw
    throw;
  }
}

generator_capture::generator_capture(order_domain& domain)
    : generator_(at::cuda::detail::getDefaultCUDAGenerator(domain.device())),
      seed_(device_integer(domain, generator_)),
      offset_(device_integer(domain, generator_)),
      access_(std::make_unique<state_access>(generator_)),
      state_(access_->state()) {
  const std::lock_guard<std::mutex> lock(generator_.mutex());
  if (state_.capturing_) {
    throw capture_error("the default generator of the device is part of another capture");
  }
  shared_seed_ = std::exchange(state_.seed_extragraph_, seed_);
  shared_offset_ = std::exchange(state_.offset_extragraph_, offset_);
  state_.offset_intragraph_ = 0;
  state_.capturing_ = true;
}

std::optional<random_numbers> generator_capture::drawn() const {
  if (state_.offset_intragraph_ == 0) {
    return std::nullopt;
  }
  return random_numbers(generator_, seed_, offset_, state_.offset_intragraph_);
}

generator_capture::~generator_capture() {
  const std::lock_guard<std::mutex> lock(generator_.mutex());
  state_.capturing_ = false;
  state_.offset_intragraph_ = 0;
  state_.seed_extragraph_ = std::move(shared_seed_);
  state_.offset_extragraph_ = std::move(shared_offset_);
}

}  // namespace graphed
