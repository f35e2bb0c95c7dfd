// SPDX-License-Identifier: Apache-2.0
//
// What LibTorch keeps of a CUDA generator while a stream is captured. Up to 2.11 it is one state for a generator, with which eager
// operators take turns (draw_turns.h). From 2.12 on it is one for each capture.
#pragma once

#include "torch/draw_turns.h"
#include "torch/libtorch_version.h"

#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/core/Allocator.h>

#include <cstdint>
#include <memory>

namespace graphed::impl {

/// Where a generator stands.
struct philox_position {
  uint64_t seed;
  uint64_t offset;
};

/// Moves it on. Takes its lock.
philox_position take_position(at::Generator& generator, uint64_t increment);

/// Whether something captures the generator, so that nothing else can. Takes its lock.
bool is_captured(at::Generator generator);

/// While it lives, what one capture draws from a generator starts at a seed and an offset that these tensors hold. The generator's own stay
/// as they are.
class captured_generator {
 public:
  /// Before the capture. Nothing else captures the generator.
  captured_generator(at::Generator generator, at::Tensor seed, at::Tensor offset);
  ~captured_generator();
  captured_generator& operator=(captured_generator&&) = delete;

  /// Before the capture: other threads may draw from now on until it ends.
  void prepare() const;
  /// The capture has begun.
  void begin(c10::CaptureId_t capture);
  /// Another capture goes on where it has ended: what that draws comes after.
  void go_on(c10::CaptureId_t capture);
  /// How far the offset moves in a replay.
  uint64_t drawn() const;

 private:
  at::Generator generator_;
  const c10::intrusive_ptr<at::CUDAGeneratorState> of_generator_;
#if GRAPHED_LIBTORCH_AT_LEAST(2, 12)
  const c10::intrusive_ptr<at::CUDAGeneratorCaptureState> of_capture_ = c10::make_intrusive<at::CUDAGeneratorCaptureState>();
  c10::CaptureId_t capture_ = 0;
#else
  at::TensorBase shared_seed_, shared_offset_;  ///< with all graphs of the process, the user's as well
  std::unique_ptr<draw_turns> turns_;
#endif
};

}  // namespace graphed::impl
