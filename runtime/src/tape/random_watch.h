// SPDX-License-Identifier: Apache-2.0
//
// Notices that a recorded callable sets the state of a random generator, which is no operator: a replay would not do it again.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

#include <mutex>
#include <vector>

namespace graphed {

/// The states that draws leave behind: the next draw must begin there. A generator other than the default one is watched from its first
/// draw on. Thread safety: any thread may draw.
class random_watch {
 public:
  random_watch();

  /// Called around each operator; one that draws no random numbers is let through. Throws random_state_error where a state was set.
  void before(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);
  void after(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);
  /// Throws random_state_error where the default generator was seeded, or one was set after its last draw.
  void check_end() const;
  /// Sets every generator back to where it stood.
  void put_back() const;

 private:
  struct watched {
    at::Generator generator;
    at::Tensor first;  ///< before the first draw
    at::Tensor state;  ///< after its last draw
  };
  void watch(const at::Generator& generator);
  watched* find(const at::Generator& generator);

  mutable std::mutex mutex_;
  const uint64_t seed_;
  std::vector<watched> generators_;
  bool has_drawn_ = false;
};

}  // namespace graphed
