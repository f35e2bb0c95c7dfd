// SPDX-License-Identifier: Apache-2.0
#include "torch/generator_capture.h"

#include "torch/draw_turns.h"
#include "torch/libtorch_version.h"
#include "torch/private_member.h"

#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <c10/cuda/CUDAGuard.h>

#include <memory>
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

// There is no generator before the first capture on a device.
static void check_layout(at::Generator generator) {
  const std::lock_guard<std::mutex> lock(generator.mutex());
  TORCH_CHECK(state_of(generator)->philox_offset_per_thread_ == generator.get<at::CUDAGeneratorImpl>()->philox_offset_per_thread(),
              "graphed: the LibTorch that was loaded has the state of a generator elsewhere than its headers say: build the runtime with "
              "its own headers");
}

static const c10::intrusive_ptr<at::CUDAGeneratorState>& checked_state_of(const at::Generator& generator) {
  static const bool once = (check_layout(generator), true);
  static_cast<void>(once);
  return state_of(generator);
}

philox_position take_position(at::Generator& generator, uint64_t increment) {
  const std::lock_guard<std::mutex> lock(generator.mutex());
  auto& state = *state_of(generator);
  const philox_position now{state.seed_, state.philox_offset_per_thread_};
  state.philox_offset_per_thread_ += increment;
  return now;
}

#if GRAPHED_LIBTORCH_AT_LEAST(2, 12)

void refuse_captured(at::Generator /*generator*/) {}

struct captured_generator::state {
  at::Generator generator;
  c10::intrusive_ptr<at::CUDAGeneratorState> of_generator;
  c10::intrusive_ptr<at::CUDAGeneratorCaptureState> of_capture;
  c10::CaptureId_t capture = 0;
};

captured_generator::captured_generator(at::Generator generator, at::Tensor seed, at::Tensor offset)
    : state_(std::make_unique<state>(state{generator, checked_state_of(generator), c10::make_intrusive<at::CUDAGeneratorCaptureState>()})) {
  state_->of_capture->rng_state_seed_extragraph_ = std::move(seed);
  state_->of_capture->rng_state_offset_extragraph_ = std::move(offset);
}

void captured_generator::begin(uint64_t capture) {
  state_->capture = capture;
  const std::lock_guard<std::mutex> lock(state_->of_generator->capture_states_mutex_);
  state_->of_generator->capture_states_[capture] = state_->of_capture;
}

uint64_t captured_generator::drawn() const { return state_->of_capture->offset_intragraph_; }

captured_generator::~captured_generator() {
  const std::lock_guard<std::mutex> lock(state_->of_generator->capture_states_mutex_);
  state_->of_generator->capture_states_.erase(state_->capture);
}

#else

void refuse_captured(at::Generator generator) {
  const std::lock_guard<std::mutex> lock(generator.mutex());
  if (state_of(generator)->capturing_) {
    throw foreign_capture("the default generator of the device is part of another capture");
  }
}

struct captured_generator::state {
  at::Generator generator;
  c10::intrusive_ptr<at::CUDAGeneratorState> of_generator;
  at::TensorBase shared_seed = {};  // with all graphs of the process, the user's as well
  at::TensorBase shared_offset = {};
  std::unique_ptr<draw_turns> turns = nullptr;
};

// As the generator asks.
static bool is_captured_on(c10::DeviceIndex device) {
  const c10::cuda::CUDAGuard on_device(device);
  return c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None;
}

captured_generator::captured_generator(at::Generator generator, at::Tensor seed, at::Tensor offset)
    : state_(std::make_unique<state>(state{generator, checked_state_of(generator)})) {
  auto& [unused, of_generator, shared_seed, shared_offset, turns] = *state_;
  refuse_captured(generator);
  turns = std::make_unique<draw_turns>([device = generator.device().index()] { return is_captured_on(device); },
                                       [generator, &of = *of_generator](bool captured) mutable {
                                         const std::lock_guard<std::mutex> lock(generator.mutex());
                                         of.capturing_ = captured;
                                       });
  const std::lock_guard<std::mutex> lock(generator.mutex());
  shared_seed = std::exchange(of_generator->seed_extragraph_, std::move(seed));
  shared_offset = std::exchange(of_generator->offset_extragraph_, std::move(offset));
  of_generator->offset_intragraph_ = 0;
}

void captured_generator::begin(uint64_t /*capture*/) {}

uint64_t captured_generator::drawn() const { return state_->of_generator->offset_intragraph_; }

captured_generator::~captured_generator() {
  auto& [generator, of_generator, shared_seed, shared_offset, turns] = *state_;
  turns.reset();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  of_generator->offset_intragraph_ = 0;
  of_generator->seed_extragraph_ = std::move(shared_seed);
  of_generator->offset_extragraph_ = std::move(shared_offset);
}

#endif

}  // namespace graphed::impl
