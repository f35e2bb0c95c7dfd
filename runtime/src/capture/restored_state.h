// SPDX-License-Identifier: Apache-2.0
//
// Running a callable without leaving a trace.
#pragma once

#include "watch/draw_watch.h"
#include "watch/observer.h"

#include <c10/core/Device.h>

#include <utility>
#include <vector>

namespace graphed::impl {

/// The random state of a device, and the tensors and generators that are saved here, are restored when this dies. Where other threads have
/// drawn from the device's default generator meanwhile, it stays where it is: they would draw the same numbers once more.
class restored_state {
 public:
  explicit restored_state(c10::Device device);
  ~restored_state();
  restored_state& operator=(restored_state&&) = delete;

  void save(const at::Tensor& tensor);
  /// Which tensor its `.grad` is, at the first time.
  void save_gradient(const at::Tensor& of);
  /// Those that are known, now: for another run.
  void put_back_gradients() const;
  /// Another generator than the default one, as it is at the first time.
  void save(const at::Generator& generator);

 private:
  const draw_watch draws_;
  const at::Tensor random_;
  std::vector<std::pair<at::Tensor, at::Tensor>> values_;     ///< a tensor, its value before
  std::vector<std::pair<at::Tensor, at::Tensor>> gradients_;  ///< a leaf, its `.grad` before
  std::vector<std::pair<at::Generator, at::Tensor>> generators_;
};

/// Saves what a run changes, before it does: what it writes outside, `.grad`, and generators that it draws from.
class change_watch : public observer {
 public:
  /// Keeps a reference.
  explicit change_watch(restored_state& state) : state_(state) {}
  void before(const operator_call& call) final;
  void before_write(const at::Tensor& tensor) override;
  void before_use(const at::Tensor& outside) override { state_.save_gradient(outside); }

 private:
  restored_state& state_;
};

}  // namespace graphed::impl
