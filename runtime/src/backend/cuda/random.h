// SPDX-License-Identifier: Apache-2.0
//
// Random numbers inside graphs: a captured kernel reads seed and offset from device memory, which each replay fills from the default
// generator, so that graphs and eager operators continue one sequence.
#pragma once

#include "backend/cuda/order.h"
#include "torch/generator_capture.h"

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace graphed {

/// Seed and offset of one graph that uses random numbers.
class random_numbers {
 public:
  random_numbers(at::Generator generator, at::Tensor seed, at::Tensor offset, uint64_t increment);

  /// Where the generator stands. It moves on as eager operators would move it. Once for each replay.
  philox_position take() { return take_position(generator_, increment_); }
  /// Before a replay, on its stream, where nothing else does it.
  void write(const philox_position& position);

 private:
  at::Generator generator_;
  at::Tensor seed_;
  at::Tensor offset_;
  std::optional<uint64_t> written_seed_;
  uint64_t increment_;
};

/// Throws capture_error where somebody is capturing the device's default generator, as LibTorch's own captures do.
void refuse_captured_generator(c10::DeviceIndex device);

/// While it lives, the device's default generator is being captured, with seed and offset in memory of the graph's own: those that LibTorch
/// would use are shared with all graphs of the process, the user's as well. The generator's own seed and offset stay as they are.
class generator_capture {
 public:
  /// Throws capture_error where somebody else is capturing the generator.
  explicit generator_capture(order_domain& domain);

  /// The capture has begun.
  void begin(c10::CaptureId_t capture) { captured_.begin(capture); }

  const at::Tensor& seed() const { return seed_; }
  const at::Tensor& offset() const { return offset_; }
  /// What a replay has to do, if anything was drawn.
  std::optional<random_numbers> drawn() const;

 private:
  at::Generator generator_;
  at::Tensor seed_;
  at::Tensor offset_;
  captured_generator captured_;
};

}  // namespace graphed
