// SPDX-License-Identifier: Apache-2.0
#include "torch/generator_capture.h"

#include "torch/private_member.h"
#include "torch/random_state.h"

#include <graphed/error.h>

#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <c10/cuda/CUDAGuard.h>

#include <mutex>
#include <utility>

namespace graphed::impl {

// Its accessors ask the driver whether the stream is captured, and do not show what is to be captured.
struct generator_state : member_of<at::CUDAGeneratorImpl, c10::intrusive_ptr<at::CUDAGeneratorState>> {
  friend pointer pointer_to(generator_state);
};
template struct opened<generator_state, &at::CUDAGeneratorImpl::state_>;

static const c10::intrusive_ptr<at::CUDAGeneratorState>& state_of(const at::Generator& generator) {
  return generator.get<at::CUDAGeneratorImpl>()->*pointer_to(generator_state());
}

// The thread that captures may hold the mutex itself.
static std::unique_lock<std::mutex> lock_for_capture(at::Generator& generator) {
  auto lock = lock_for_a_look(generator);
  if (!lock) {
    throw CaptureError("the mutex of the device's random generator is held, which a capture needs: let go of it before the call");
  }
  return lock;
}

// There is no generator before the first capture on a device.
static const c10::intrusive_ptr<at::CUDAGeneratorState>& checked_state_of(at::Generator generator) {
  const auto lock = lock_for_capture(generator);
  const auto& state = state_of(generator);
  TORCH_CHECK(state->philox_offset_per_thread_ == generator.get<at::CUDAGeneratorImpl>()->philox_offset_per_thread(),
              "graphed: the LibTorch that was loaded has the state of a generator elsewhere than its headers say: build the runtime with "
              "its own headers");
  return state;
}

philox_position take_position(at::Generator& generator, uint64_t increment) {
  const std::lock_guard<std::mutex> lock(generator.mutex());
  auto& state = *state_of(generator);
  const philox_position now{state.seed_, state.philox_offset_per_thread_};
  state.philox_offset_per_thread_ += increment;
  return now;
}

#if GRAPHED_LIBTORCH_AT_LEAST(2, 12)

bool is_captured(at::Generator /*generator*/) { return false; }

captured_generator::captured_generator(at::Generator generator, at::Tensor seed, at::Tensor offset)
    : generator_(std::move(generator)), of_generator_(checked_state_of(generator_)) {
  of_capture_->rng_state_seed_extragraph_ = std::move(seed);
  of_capture_->rng_state_offset_extragraph_ = std::move(offset);
}

void captured_generator::prepare() const {}

void captured_generator::begin(c10::CaptureId_t capture) {
  capture_ = capture;
  const std::lock_guard<std::mutex> lock(of_generator_->capture_states_mutex_);
  of_generator_->capture_states_[capture] = of_capture_;
}

void captured_generator::go_on(c10::CaptureId_t capture) {
  const std::lock_guard<std::mutex> lock(of_generator_->capture_states_mutex_);
  of_generator_->capture_states_.erase(capture_);
  capture_ = capture;
  of_generator_->capture_states_[capture] = of_capture_;
}

uint64_t captured_generator::drawn() const { return of_capture_->offset_intragraph_; }

captured_generator::~captured_generator() {
  const std::lock_guard<std::mutex> lock(of_generator_->capture_states_mutex_);
  of_generator_->capture_states_.erase(capture_);
}

#else

bool is_captured(at::Generator generator) {
  const auto lock = lock_for_capture(generator);
  return state_of(generator)->capturing_;
}

// As the generator asks.
static bool is_captured_on(c10::DeviceIndex device) {
  const c10::cuda::CUDAGuard on_device(device);
  return c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None;
}

captured_generator::captured_generator(at::Generator generator, at::Tensor seed, at::Tensor offset)
    : generator_(std::move(generator)), of_generator_(checked_state_of(generator_)) {
  turns_ = std::make_unique<draw_turns>([device = generator_.device().index()] { return is_captured_on(device); },
                                        [this](bool captured) {
                                          const std::lock_guard<std::mutex> lock(generator_.mutex());
                                          of_generator_->capturing_ = captured;
                                        });
  const std::lock_guard<std::mutex> lock(generator_.mutex());
  shared_seed_ = std::exchange(of_generator_->seed_extragraph_, std::move(seed));
  shared_offset_ = std::exchange(of_generator_->offset_extragraph_, std::move(offset));
  of_generator_->offset_intragraph_ = 0;
}

void captured_generator::prepare() const { turns_->await_earlier(); }

void captured_generator::begin(c10::CaptureId_t /*capture*/) { turns_->begin(); }

void captured_generator::go_on(c10::CaptureId_t /*capture*/) {}

uint64_t captured_generator::drawn() const { return of_generator_->offset_intragraph_; }

captured_generator::~captured_generator() {
  turns_.reset();
  const std::lock_guard<std::mutex> lock(generator_.mutex());
  of_generator_->offset_intragraph_ = 0;
  of_generator_->seed_extragraph_ = std::move(shared_seed_);
  of_generator_->offset_extragraph_ = std::move(shared_offset_);
}

#endif

}  // namespace graphed::impl
