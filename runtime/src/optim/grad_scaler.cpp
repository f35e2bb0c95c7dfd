// SPDX-License-Identifier: Apache-2.0
#include <graphed/grad_scaler.h>

#include "optim/algorithm.h"
#include "watch/recorder.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <c10/core/GradMode.h>
#include <torch/serialize/archive.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace graphed {

using namespace impl;

/// What update() freezes in a capture.
class GradScaler::factors final : public live_source {
 public:
  explicit factors(GradScalerOptions options) : now(std::move(options)) {}

  std::string frozen() override {
    std::string bytes;
    append(bytes, now.growth_factor(), now.backoff_factor(), now.growth_interval(), eager.size());
    return bytes;
  }

  GradScalerOptions now;
  steps eager;  ///< where one has failed, a graph must not go on as if it had not
};

GradScaler::GradScaler(c10::Device device, GradScalerOptions options) : factors_(std::make_shared<factors>(std::move(options))) {
  if (!enabled()) {
    return;
  }
  TORCH_CHECK(this->options().growth_factor() > 1, "graphed::GradScaler: the growth factor must be > 1, got ",
              this->options().growth_factor());
  TORCH_CHECK(this->options().backoff_factor() < 1, "graphed::GradScaler: the backoff factor must be < 1, got ",
              this->options().backoff_factor());
  scale_ = at::full({}, this->options().init_scale(), at::TensorOptions(at::kFloat).device(device));
  growth_tracker_ = at::zeros({}, at::TensorOptions(at::kInt).device(device));
}

GradScaler::~GradScaler() = default;

const GradScalerOptions& GradScaler::options() const { return factors_->now; }

at::Tensor GradScaler::scale(const at::Tensor& outputs) const {
  return enabled() ? outputs * scale_.to(outputs.device(), /*non_blocking=*/true) : outputs;
}

std::vector<at::Tensor> GradScaler::scale(at::TensorList outputs) const {
  std::vector<at::Tensor> scaled;
  for (const at::Tensor& output : outputs) {
    scaled.push_back(scale(output));
  }
  return scaled;
}

// A capture begins where the calls before it have ended. What it leaves behind, as one does that failed, says nothing of the calls after
// it.
GradScaler::steps& GradScaler::steps_now() {
  const auto seen = active_recording();
  if (seen == nullptr || !seen->is_capture()) {
    captured_.clear();
    return factors_->eager;
  }
  if (capture_ != seen->number()) {
    capture_ = seen->number();
    captured_ = factors_->eager;
  }
  return captured_;
}

void GradScaler::unscale_(torch::optim::Optimizer& optimizer) {
  if (!enabled()) {
    return;
  }
  progress& now = steps_now()[&optimizer];
  TORCH_CHECK(now.reached != stage::unscaled, "unscale_() has already been called on this optimizer since the last update().");
  TORCH_CHECK(now.reached != stage::stepped, "unscale_() is being called after step().");
  const c10::NoGradGuard no_grad;
  now.found_inf = check_gradients(optimizer, scale_.to(at::kDouble).reciprocal().to(at::kFloat));
  now.reached = stage::unscaled;
}

// Multiplies them, and returns for each device whether one is not finite.
std::vector<at::Tensor> GradScaler::check_gradients(torch::optim::Optimizer& optimizer, const at::Tensor& inverse_scale) const {
  const c10::NoGradGuard no_grad;
  std::vector<at::Tensor> parameters, found;
  for (const auto& group : optimizer.param_groups()) {
    parameters.insert(parameters.end(), group.params().begin(), group.params().end());
  }
  auto groups = optim::gradient_groups(parameters);
  for (const auto& group : groups) {
    TORCH_CHECK(group[0].scalar_type() != at::kHalf || !inverse_scale.defined(), "Attempting to unscale FP16 gradients.");
  }
  for (auto& group : groups) {
    const c10::Device device = group[0].device();
    auto flag = std::find_if(found.begin(), found.end(), [&](const at::Tensor& each) { return each.device() == device; });
    if (flag == found.end()) {
      flag = found.insert(flag, at::zeros({}, at::TensorOptions(at::kFloat).device(device)));
    }
    const at::Tensor factor = inverse_scale.defined() ? inverse_scale.to(device, /*non_blocking=*/true) : at::ones({}, flag->options());
    at::_amp_foreach_non_finite_check_and_unscale_(group, *flag, factor);
  }
  return found;
}

at::Tensor GradScaler::found_by(const progress& progress) const {
  TORCH_CHECK(!progress.found_inf.empty(), "No inf checks were recorded for this optimizer.");
  at::Tensor any = progress.found_inf[0].to(scale_.device(), /*non_blocking=*/true);
  for (std::size_t i = 1; i < progress.found_inf.size(); ++i) {
    any = at::maximum(any, progress.found_inf[i].to(scale_.device(), /*non_blocking=*/true));
  }
  return any;
}

void GradScaler::step(torch::optim::Optimizer& optimizer) {
  if (!enabled()) {
    optimizer.step();
    return;
  }
  progress& now = steps_now()[&optimizer];
  TORCH_CHECK(now.reached != stage::stepped, "step() has already been called since the last update().");
  auto* const own = dynamic_cast<optim::Optimizer*>(&optimizer);
  std::optional<at::Tensor> still_scaled;
  if (now.reached == stage::ready && own != nullptr && own->divides_gradients()) {
    now.found_inf = check_gradients(optimizer, {});
    still_scaled = scale_;
  } else if (now.reached == stage::ready) {
    unscale_(optimizer);
  }
  if (own != nullptr) {
    own->step_unless(found_by(now), still_scaled);
  } else if (found_by(now).item<float>() == 0) {
    optimizer.step();
  }
  now.reached = stage::stepped;
}

void GradScaler::update() {
  if (!enabled()) {
    return;
  }
  const c10::NoGradGuard no_grad;
  at::Tensor any;
  for (const auto& [optimizer, progress] : steps_now()) {
    if (!progress.found_inf.empty()) {
      const at::Tensor found = found_by(progress);
      any = any.defined() ? any + found : found;
    }
  }
  TORCH_CHECK(any.defined(), "No inf checks were recorded prior to update.");
  use(factors_);
  at::_amp_update_scale_(scale_, growth_tracker_, any, options().growth_factor(), options().backoff_factor(), options().growth_interval());
  steps_now().clear();
}

void GradScaler::update(double new_scale) {
  if (enabled()) {
    scale_.fill_(new_scale);
    steps_now().clear();
  }
}

void GradScaler::update(const at::Tensor& new_scale) {
  if (!enabled()) {
    return;
  }
  TORCH_CHECK(new_scale.numel() == 1 && !new_scale.requires_grad() && new_scale.device().type() == scale_.device().type(),
              "graphed::GradScaler: new_scale should be a tensor of 1 element on ", scale_.device(), " that does not require grad");
  const c10::NoGradGuard no_grad;
  scale_.copy_(new_scale.reshape({}));
  steps_now().clear();
}

double GradScaler::get_scale() const { return enabled() ? scale_.item<double>() : 1.0; }

int64_t GradScaler::get_growth_tracker() const { return enabled() ? growth_tracker_.item<int64_t>() : 0; }

void GradScaler::save(torch::serialize::OutputArchive& archive) const {
  if (!enabled()) {
    return;
  }
  archive.write("scale", c10::IValue(get_scale()));
  archive.write("growth_factor", c10::IValue(options().growth_factor()));
  archive.write("backoff_factor", c10::IValue(options().backoff_factor()));
  archive.write("growth_interval", c10::IValue(options().growth_interval()));
  archive.write("_growth_tracker", c10::IValue(get_growth_tracker()));
}

void GradScaler::load(torch::serialize::InputArchive& archive) {
  if (!enabled()) {
    return;
  }
  const auto read = [&](const char* name) {
    c10::IValue value;
    TORCH_CHECK(archive.try_read(name, value), "graphed::GradScaler: the archive has no ", name,
                ": it was saved by a scaler that was not enabled, or is none of a scaler");
    return value;
  };
  const c10::NoGradGuard no_grad;
  scale_.fill_(read("scale").toDouble());
  growth_tracker_.fill_(read("_growth_tracker").toInt());
  factors_->now.growth_factor(read("growth_factor").toDouble());
  factors_->now.backoff_factor(read("backoff_factor").toDouble());
  factors_->now.growth_interval(read("growth_interval").toInt());
}

}  // namespace graphed
