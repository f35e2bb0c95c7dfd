// SPDX-License-Identifier: Apache-2.0
//
// What LibTorch keeps of a CUDA generator while a stream is captured: up to 2.11 one state for a generator, with which eager operators take
// turns (draw_turns.h), and from 2.12 on one for each capture.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>
#include <graphed/error.h>

#include <cstdint>
#include <memory>

namespace graphed::impl {

/// Somebody else is capturing: later there may be no capture.
class foreign_capture : public CaptureError {
 public:
  using CaptureError::CaptureError;
};

/// Where a generator stands.
struct philox_position {
  uint64_t seed;
  uint64_t offset;
};

/// Moves it on. Takes its lock.
philox_position take_position(at::Generator& generator, uint64_t increment);

/// Throws foreign_capture where somebody captures the generator and nobody else can. Takes its lock.
void refuse_captured(at::Generator generator);

/// While it lives, what one capture draws from a generator starts at a seed and an offset that these tensors hold. The generator's own stay
/// as they are.
class captured_generator {
 public:
  /// Before the capture. Throws as refuse_captured().
  captured_generator(at::Generator generator, at::Tensor seed, at::Tensor offset);
  ~captured_generator();
  captured_generator& operator=(captured_generator&&) = delete;

  /// The capture has begun.
  void begin(uint64_t capture);
  /// How far the offset moves in a replay.
  uint64_t drawn() const;

 private:
  struct state;
  const std::unique_ptr<state> state_;
};

}  // namespace graphed::impl
