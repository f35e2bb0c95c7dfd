// SPDX-License-Identifier: Apache-2.0
//
// Notices that a callable sets the state of a random generator, which is no operator: a replay would not do it again.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Device.h>
#include <c10/util/ArrayRef.h>

#include <vector>

namespace graphed {

/// The states that draws leave behind: the next draw must begin there. A generator other than the default one is watched from its first
/// draw on. Not thread-safe.
class random_watch {
 public:
  /// What may happen between two draws of the callable.
  enum class others {
    wait,  ///< nothing: a state that is another one was set
    draw,  ///< draws of other threads: a state with another seed, or from before, was set
  };
  random_watch(c10::Device device, others others);

  /// Called around each operator; one that draws no random numbers is let through. False where a state was set before this draw.
  bool before(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);
  void after(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);
  /// Whether the default generator was seeded, or one was set after its last draw.
  bool is_set_at_the_end() const;
  /// Sets every generator back to where it stood.
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
  bool is_set(const watched& known) const;
  watched* find(const at::Generator& generator);
  at::Generator generator_of(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) const;

  const c10::Device device_;
  const others others_;
  std::vector<watched> generators_;
  bool has_drawn_ = false;
};

}  // namespace graphed
