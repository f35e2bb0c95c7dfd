// SPDX-License-Identifier: Apache-2.0
//
// graphed::GradScaler: gradient scaling for training in half precision, in eager code and inside graphed callables.
//
// Python: torch.amp.GradScaler, bit for bit; also the order of calls and its errors are the same. Differences: for every optimizer of
// graphed::optim, the device decides whether a step is skipped. Only get_scale(), get_growth_tracker(), save(), and step() of another
// optimizer wait for a device; a capture refuses the latter for that reason. The constructor makes the scale and its tracker.
//
//   scaler.scale(loss).backward();
//   scaler.unscale_(optimizer);                        // only to look at, or clip, the gradients
//   graphed::clip_grad_norm_(parameters, 1.0);
//   scaler.step(optimizer);                            // does nothing where a gradient was infinite or NaN
//   scaler.update();
//
// In a graphed callable the calls from scale() to update() belong into one callable.
#pragma once

#include <graphed/export.h>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <torch/optim/optimizer.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace torch::serialize {
class InputArchive;
class OutputArchive;
}  // namespace torch::serialize

namespace graphed {

struct GradScalerOptions {
  TORCH_ARG(double, init_scale) = 65536.0;
  /// After `growth_interval` steps in a row without an infinite gradient the scale is multiplied by it; above 1.
  TORCH_ARG(double, growth_factor) = 2.0;
  /// After a step with one; below 1.
  TORCH_ARG(double, backoff_factor) = 0.5;
  TORCH_ARG(int64_t, growth_interval) = 2000;
  /// False: scale() returns its argument, step() steps, the rest does nothing.
  TORCH_ARG(bool, enabled) = true;
};

/// Thread safety: none.
class GRAPHED_API GradScaler {
 public:
  /// Throws c10::Error for factors out of range.
  explicit GradScaler(c10::Device device, GradScalerOptions options = {});
  ~GradScaler();
  GradScaler& operator=(GradScaler&&) = delete;

  /// outputs * scale, on the device of `outputs`.
  at::Tensor scale(const at::Tensor& outputs) const;
  std::vector<at::Tensor> scale(at::TensorList outputs) const;

  /// Divides the gradients by the scale, and notes whether one is infinite or NaN. Throws c10::Error if that was done since the last
  /// update(), or step() was, and for gradients of float16.
  void unscale_(torch::optim::Optimizer& optimizer);

  /// Steps, unless a gradient is infinite or NaN, after dividing the gradients where unscale_() did not. Throws c10::Error where step() was
  /// called since the last update(), and where there is no gradient.
  void step(torch::optim::Optimizer& optimizer);

  /// Changes the scale by what was found since the last update(). Throws c10::Error where nothing was looked at.
  void update();
  /// Sets it.
  void update(double new_scale);
  /// Of one element, float32, on a device of the scaler's type.
  void update(const at::Tensor& new_scale);

  /// Waits for the device; 1 when not enabled.
  double get_scale() const;
  /// How many steps in a row had finite gradients. Waits for the device; 0 when not enabled.
  int64_t get_growth_tracker() const;
  /// Fixed, but for load(): a capture that froze other factors is dropped then.
  const GradScalerOptions& options() const;

  /// The scale, its tracker and the factors; nothing when not enabled. Loading throws c10::Error where they are not there.
  void save(torch::serialize::OutputArchive& archive) const;
  void load(torch::serialize::InputArchive& archive);

 private:
  enum class stage { ready, unscaled, stepped };
  struct progress {
    stage reached = stage::ready;
    std::vector<at::Tensor> found_inf;  ///< one for each device
  };
  using steps = std::unordered_map<const torch::optim::Optimizer*, progress>;
  steps& steps_now();
  std::vector<at::Tensor> check_gradients(torch::optim::Optimizer& optimizer, const at::Tensor& inverse_scale) const;
  at::Tensor found_by(const progress& progress) const;

  class factors;
  bool enabled() const { return options().enabled(); }

  const std::shared_ptr<factors> factors_;
  at::Tensor scale_;           ///< float32, of shape []
  at::Tensor growth_tracker_;  ///< int32, of shape []
  uint64_t capture_ = 0;       ///< the last one that used the scaler
  steps captured_;             ///< and how far it has come
};

}  // namespace graphed
