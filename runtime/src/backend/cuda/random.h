// SPDX-License-Identifier: Apache-2.0
//
// Random numbers inside graphs: a captured kernel reads seed and offset from device memory. Each replay fills it from the default
// generator, so that graphs and eager operators continue one sequence.
#pragma once

#include "backend/cuda/order.h"
#include "torch/generator_capture.h"
#include "watch/draw_watch.h"

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <utility>

namespace graphed::impl {

/// The default generator of a domain's device, and a seed and an offset in one graph's own memory. All graphs of the process, also the
/// user's, share those that LibTorch would use.
struct philox_memory {
  explicit philox_memory(const order_domain& domain);

  at::Generator generator;
  at::Tensor seed, offset;
};

/// What each replay of a graph that draws has to do.
class random_numbers {
 public:
  random_numbers(philox_memory memory, uint64_t increment) : memory_(std::move(memory)), increment_(increment) {}

  /// Where the generator stands. It moves on as eager operators would move it. Once for each replay.
  philox_position take() {
    draw_watch::note_replay(memory_.generator.device());
    return take_position(memory_.generator, increment_);
  }
  /// Before a replay, on its stream, where nothing else does it.
  void write(const philox_position& position);

 private:
  philox_memory memory_;
  std::optional<uint64_t> written_seed_;
  uint64_t increment_;
};

/// What a capture draws: each replay goes on from where the generator stands.
class capture_draws {
 public:
  /// Before the capture. Throws as refuse_captured_generator().
  explicit capture_draws(const order_domain& domain) : memory_(domain), generator_(memory_.generator, memory_.seed, memory_.offset) {}

  void prepare() const { generator_.prepare(); }
  void begin(c10::CaptureId_t capture) { generator_.begin(capture); }
  /// The capture has ended, and this one goes on in its place.
  void go_on(c10::CaptureId_t capture) { generator_.go_on(capture); }
  const philox_memory& memory() const { return memory_; }
  /// None where nothing was drawn.
  std::optional<random_numbers> of_a_replay() const;

 private:
  const philox_memory memory_;
  captured_generator generator_;
};

/// Throws CaptureError where something is capturing the device's default generator, as LibTorch's own captures do.
void refuse_captured_generator(c10::DeviceIndex device);

}  // namespace graphed::impl
