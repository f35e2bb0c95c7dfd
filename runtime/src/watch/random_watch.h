// SPDX-License-Identifier: Apache-2.0
//
// Notices that a callable sets the state of a random generator, which is not an operator: a replay would not do it again.
#pragma once

#include "watch/draw_watch.h"
#include "watch/observer.h"

#include <graphed/error.h>

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

#include <optional>
#include <vector>

namespace graphed::impl {

/// Ends a capture whose work sets the state of a random generator, which a replay would not do again.
class random_state_error : public CaptureError {
 public:
  random_state_error() : CaptureError("it sets the state of a random generator, which a replay would not do") {}
};

/// The states that draws leave behind: the next draw must begin there. A generator other than the default one is watched from its first
/// draw on.
class random_watch final : public observer {
 public:
  /// What may happen between two draws of the callable.
  enum class others {
    wait,  ///< nothing, in a capture: a state that is another one was set, and random_state_error refuses the draw
    draw,  ///< draws of other threads: a state with another seed, or from before, was set
  };
  random_watch(c10::Device device, others others);

  void before(const operator_call& call) override;
  void after(const operator_call& call, c10::ArrayRef<c10::IValue> results) override;
  /// Whether a state was set before a draw, the default generator was seeded, or one was set after its last draw.
  bool is_set() const { return is_set_before_a_draw_ || is_set_at_the_end(); }
  /// On a CPU: sets every generator back to where it stood, the default one as draw_watch::set_back.
  void put_back() const;

 private:
  struct watched {
    at::Generator generator;
    at::Tensor first;  ///< before the first draw
    at::Tensor state;  ///< after its last draw
    uint64_t seed;
    uint64_t offset;  ///< where generators have one
  };
  watched now(const at::Generator& generator) const;
  void look_again(watched& known) const;
  bool is_set(const watched& known) const;
  bool is_set_at_the_end() const;
  /// The generator of an operator that draws, watched from now on.
  watched& generator_of(const operator_call& call);

  const c10::Device device_;
  const others others_;
  std::optional<draw_watch> meanwhile_;  ///< on a CPU, where a capture draws from the generators themselves
  std::vector<watched> generators_;
  bool has_drawn_ = false;
  bool is_set_before_a_draw_ = false;
};

}  // namespace graphed::impl
