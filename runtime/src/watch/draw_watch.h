// SPDX-License-Identifier: Apache-2.0
//
// Who draws from a device's default generator while a run is under way that is taken back, or compared. Its draws can be taken back only
// where no other thread has drawn meanwhile, which would draw the same numbers once more.
#pragma once

#include "watch/observer.h"

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
#include <c10/core/Device.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace graphed::impl {

/// Whether an operator on these arguments draws from the default generator of the device.
bool draws_from_default(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments, c10::Device device);

/// From its beginning to its end. The run is the calling thread's, and that of threads which work for its recordings. What draws past
/// LibTorch's operators is not noticed.
class draw_watch {
 public:
  explicit draw_watch(c10::Device device);
  ~draw_watch();
  draw_watch& operator=(draw_watch&&) = delete;

  /// Whether the run has drawn.
  bool of_run() const { return of_run_; }
  bool of_others() const { return of_others_; }
  /// Sets the generator to a state from before draws of the run, unless others have drawn, or the state is not known.
  void set_back(const at::Tensor& state) const;

  /// A graph of the calling thread's, which has no operators, draws now, or has drawn: to be called before and after it.
  static void note_replay(c10::Device device);

 private:
  static std::unique_ptr<at::ObserverContext> note_operator(const at::RecordFunction& function);
  void note(uint64_t worker);

  const c10::Device device_;
  const uint64_t thread_;
  std::atomic<bool> of_run_{false}, of_others_{false};
  at::CallbackHandle callback_;
};

}  // namespace graphed::impl
