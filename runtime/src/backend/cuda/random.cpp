// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/random.h"

#include "backend/backend.h"
#include "torch/private_member.h"

#include <ATen/cuda/EmptyTensor.h>
#include <ATen/ops/fill_cuda_dispatch.h>
#include <c10/cuda/CUDAGuard.h>
#include <graphed/error.h>

#include <mutex>
#include <utility>

namespace graphed {

// Its accessors ask the driver whether the stream is captured, and do not show what is to be captured.
struct generator_state : member_of<at::CUDAGeneratorImpl, c10::intrusive_ptr<at::CUDAGeneratorState>> {
  friend pointer pointer_to(generator_state);
};
template struct opened<generator_state, &at::CUDAGeneratorImpl::state_>;

namespace {

const c10::intrusive_ptr<at::CUDAGeneratorState>& state_of(const at::Generator& generator) {
  return generator.get<at::CUDAGeneratorImpl>()->*pointer_to(generator_state());
}

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
  auto& state = *state_of(generator_);
  const position now{state.seed_, state.philox_offset_per_thread_};
  state.philox_offset_per_thread_ += increment_;
  return now;
}

void random_numbers::write(const position& position) {
  if (written_seed_ != position.seed) {
    graphed::write(seed_, position.seed);
    written_seed_ = position.seed;
  }
  graphed::write(offset_, position.offset);
}

static void refuse_captured(const at::CUDAGeneratorState& state) {
  if (state.capturing_) {
    throw foreign_capture("the default generator of the device is part of another capture");
  }
}

void refuse_captured_generator(c10::DeviceIndex device) {
  at::Generator generator = at::cuda::detail::getDefaultCUDAGenerator(device);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  refuse_captured(*state_of(generator));
}

generator_capture::generator_capture(order_domain& domain)
    : generator_(at::cuda::detail::getDefaultCUDAGenerator(domain.device())),
      seed_(device_integer(domain, generator_)),
      offset_(device_integer(domain, generator_)),
      state_(state_of(generator_)) {
  const std::lock_guard<std::mutex> lock(generator_.mutex());
  refuse_captured(*state_);
  shared_seed_ = std::exchange(state_->seed_extragraph_, seed_);
  shared_offset_ = std::exchange(state_->offset_extragraph_, offset_);
  state_->offset_intragraph_ = 0;
  state_->capturing_ = true;
}

std::optional<random_numbers> generator_capture::drawn() const {
  if (state_->offset_intragraph_ == 0) {
    return std::nullopt;
  }
  return random_numbers(generator_, seed_, offset_, state_->offset_intragraph_);
}

generator_capture::~generator_capture() {
  const std::lock_guard<std::mutex> lock(generator_.mutex());
  state_->capturing_ = false;
  state_->offset_intragraph_ = 0;
  state_->seed_extragraph_ = std::move(shared_seed_);
  state_->offset_extragraph_ = std::move(shared_offset_);
}

}  // namespace graphed
