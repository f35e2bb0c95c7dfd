// SPDX-License-Identifier: Apache-2.0
//
// Takes back what a replay of a tape has done if an operator of another library behaves differently than in the capture.
#pragma once

#include "watch/draw_watch.h"

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace graphed::impl {

class replay_undo {
 public:
  /// For replays that write these memories of others, given as bytes, and draw from these generators.
  replay_undo(std::vector<at::Tensor> written, std::vector<at::Generator> generators, bool draws_from_default);

  /// Before a replay: saves what it will change.
  void begin();
  /// After it.
  void end() { draws_.reset(); }
  /// Instead of end().
  void take_back();
  /// What it holds of others.
  template <class F>
  void for_each_memory(F&& f) const {
    for (const auto& [memory, bytes] : memories_) {
      f(memory);
    }
  }
  /// What it holds of its own.
  uint64_t bytes() const;

 private:
  std::vector<std::pair<at::Tensor, at::Tensor>> memories_;  ///< and their bytes before
  std::vector<std::pair<at::Generator, at::Tensor>> generators_;
  const bool draws_from_default_;
  std::optional<draw_watch> draws_;  ///< of the replay under way
  at::Tensor random_;
};

}  // namespace graphed::impl
