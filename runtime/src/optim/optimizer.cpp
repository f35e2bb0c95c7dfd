// SPDX-License-Identifier: Apache-2.0
#include <graphed/optim/optimizer.h>

#include "backend/staging.h"
#include "optim/algorithm.h"
#include "report/log.h"
#include "report/pages.h"
#include "watch/live_source.h"
#include "watch/recorder.h"

#include <graphed/error.h>

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <utility>

namespace graphed::optim {

using namespace impl;

ParamState::~ParamState() = default;

/// The numbers of a group on one device.
struct Optimizer::group_numbers {
  std::size_t group;
  c10::Device device;
  tensors on_device;          ///< each of shape []
  std::vector<double> shown;  ///< their values
};

class Optimizer::source final : public live_source {
 public:
  explicit source(Optimizer& owner) : owner_(owner) {}

  std::string frozen() override {
    owner_.own_options();
    std::string bytes = frozen_numbers();
    for (const auto& group : owner_.param_groups()) {
      append(bytes, group.params().size());
      for (const at::Tensor& parameter : group.params()) {
        append(bytes, parameter.unsafeGetTensorImpl());
        const auto found = owner_.state_.find(parameter.unsafeGetTensorImpl());
        if (found != owner_.state_.end()) {
          for (const at::Tensor* tensor : static_cast<ParamState&>(*found->second).tensors()) {
            append(bytes, tensor->unsafeGetTensorImpl());
          }
        }
      }
    }
    return bytes;
  }

  std::string live() override {
    std::string bytes;
    for (const auto& group : owner_.param_groups()) {
      for (const double number : owner_.rules_->live_numbers(group.options())) {
        append(bytes, number);
      }
    }
    return bytes;
  }
  void refresh(number_change change) override { owner_.refresh(change); }
  void note_capture() { captured_numbers_ = frozen_numbers(); }
  void outdated() override {
    if (frozen_numbers() == captured_numbers_) {
      return;  // but for a state or a group
    }
    if (++changes_ == 3) {
      warn(std::string("graphed::optim::") + owner_.rules_->name() +
           ": numbers that a capture freezes (betas, weight decay, momentum, ...) change again and again, each time at the price of an "
           "eager "
           "call and a new capture: live(true) in the group's options keeps them on the device" +
           see(pages::optim));
    }
  }

 private:
  std::string frozen_numbers() const {
    std::string bytes;
    append(bytes, owner_.param_groups().size());
    for (const auto& group : owner_.param_groups()) {
      owner_.rules_->append_frozen(group.options(), bytes);
    }
    return bytes;
  }

  Optimizer& owner_;
  std::string captured_numbers_;
  int changes_ = 0;
};

// From LibTorch 2.12 on a group gets the optimizer's options, changed by those that were given, instead of the latter.
static void keep_added(const torch::optim::OptimizerParamGroup& given, torch::optim::OptimizerParamGroup& merged) {
  if (const auto* const added = given.has_options() ? dynamic_cast<const AddedOptions*>(&given.options()) : nullptr) {
    dynamic_cast<AddedOptions&>(merged.options()) = *added;
  }
}

Optimizer::Optimizer(const std::vector<torch::optim::OptimizerParamGroup>& groups, std::unique_ptr<torch::optim::OptimizerOptions> defaults,
                     std::unique_ptr<const algorithm> rules)
    : torch::optim::Optimizer(groups, std::move(defaults)), rules_(std::move(rules)), source_(std::make_shared<source>(*this)) {
  own_options();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    keep_added(groups[i], param_groups()[i]);
  }
  make_states();
  refresh();
}

Optimizer::~Optimizer() = default;

at::Tensor Optimizer::step(LossClosure closure) {
  at::Tensor loss;
  if (closure) {
    const c10::AutoGradMode with_grad(true);
    loss = closure();
  }
  step_all(std::nullopt, std::nullopt);
  return loss;
}

void Optimizer::step_unless(const at::Tensor& found_inf, const std::optional<at::Tensor>& grad_scale) {
  TORCH_CHECK(!grad_scale || divides_gradients(), "graphed::optim::", rules_->name(),
              ": step_unless() with a grad_scale, which its operators cannot divide by");
  step_all(found_inf, grad_scale);
}

bool Optimizer::divides_gradients() {
  own_options();
  for (const auto& group : param_groups()) {
    if (!rules_->divides_gradients(group.options())) {
      return false;
    }
  }
  return true;
}

void Optimizer::add_param_group(const torch::optim::OptimizerParamGroup& group) {
  torch::optim::Optimizer::add_param_group(group);
  own_options();
  keep_added(group, param_groups().back());
  make_states();
  refresh();
}

// Groups may have been added by the base class's add_param_group(), with torch::optim's options.
void Optimizer::own_options() {
  for (auto& group : param_groups()) {
    if (auto own = rules_->own(group.options())) {
      group.set_options(std::move(own));
    }
  }
}

void Optimizer::make_states() {
  own_options();
  for (const auto& group : param_groups()) {
    for (const at::Tensor& parameter : group.params()) {
      if (parameter.requires_grad() || parameter.grad().defined()) {
        state_of(parameter, group.options());
      }
    }
  }
}

// State follows its parameter to another device.
ParamState& Optimizer::state_of(const at::Tensor& parameter, const torch::optim::OptimizerOptions& options) {
  auto& found = state_[parameter.unsafeGetTensorImpl()];
  if (!found) {
    found = rules_->make_state();
  }
  auto* state = dynamic_cast<ParamState*>(found.get());
  TORCH_CHECK(state != nullptr, "graphed::optim::", rules_->name(), ": a parameter has the state of another optimizer");
  for (at::Tensor* tensor : state->tensors()) {
    if (tensor->defined() && tensor->device() != parameter.device()) {
      const unrecorded_scope hidden;
      *tensor = tensor->to(parameter.device());
    }
  }
  rules_->complete(*state, parameter, options);
  return *state;
}

Optimizer::group_numbers& Optimizer::numbers_of(std::size_t group, c10::Device device) {
  for (auto& known : numbers_) {
    if (known.group == group && known.device == device) {
      return known;
    }
  }
  return numbers_.emplace_back(group_numbers{group, device, {}, {}});
}

// In a CUDA capture nothing may be written, and nothing need be: each replay is preceded by this.
void Optimizer::refresh(group_numbers& numbers, c10::function_ref<void(c10::function_ref<void()>)> change) {
  const std::vector<double> now = rules_->live_numbers(param_groups()[numbers.group].options());
  if (inside_capture() && !numbers.device.is_cpu()) {
    if (numbers.on_device.size() < now.size()) {
      throw CaptureError("an optimizer's numbers are not on the device yet: add parameter groups by graphed::optim's add_param_group()");
    }
    return;
  }
  const unrecorded_scope hidden;
  while (numbers.on_device.size() < now.size()) {  // never fewer or others: a graph may hold them, for when the options are as they were
    numbers.on_device.push_back(make_static({}, {}, numbers.device.is_cpu() ? at::kDouble : at::kFloat, numbers.device));
    fill_value(numbers.on_device.back(), 0);
    numbers.shown.push_back(0);
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] != numbers.shown[i]) {
      change([&] { fill_value(numbers.on_device[i], now[i]); });
      numbers.shown[i] = now[i];
    }
  }
}

void Optimizer::refresh() {
  refresh([](c10::function_ref<void()> write) { write(); });
}

void Optimizer::refresh(c10::function_ref<void(c10::function_ref<void()>)> change) {
  own_options();
  for (std::size_t group = 0; group < param_groups().size(); ++group) {
    for (const at::Tensor& parameter : param_groups()[group].params()) {
      numbers_of(group, parameter.device());
    }
  }
  for (auto& numbers : numbers_) {
    refresh(numbers, change);
  }
}

void Optimizer::step_all(const std::optional<at::Tensor>& found_inf, const std::optional<at::Tensor>& grad_scale) {
  const c10::NoGradGuard no_grad;
  make_states();
  refresh();
  use(source_);
  if (inside_capture()) {
    source_->note_capture();
  }
  for (std::size_t group = 0; group < param_groups().size(); ++group) {
    step_group(group, found_inf, grad_scale);
  }
}

// Where `found_inf` is 1, what the update of several operators changed of the batch has its former value afterwards.
static void update_unless(const at::Tensor& found_inf, const batch& batch, c10::function_ref<void()> update) {
  tensors changed = batch.parameters;
  for (ParamState* state : batch.states) {
    for (const at::Tensor* tensor : state->tensors()) {
      if (tensor->defined()) {
        changed.push_back(*tensor);
      }
    }
  }
  tensors before;
  for (const at::Tensor& tensor : changed) {
    before.push_back(tensor.clone());
  }
  update();
  const at::Tensor skip = found_inf.reshape({}).eq(1);
  for (std::size_t i = 0; i < changed.size(); ++i) {
    at::where_out(changed[i], skip, before[i], changed[i]);
  }
}

void Optimizer::step_group(std::size_t index, const std::optional<at::Tensor>& found_inf, const std::optional<at::Tensor>& grad_scale) {
  const auto& group = param_groups()[index];
  std::vector<batch> batches;
  for (const at::Tensor& parameter : group.params()) {
    const at::Tensor& gradient = gradient_of(parameter);
    if (!gradient.defined()) {
      continue;
    }
    TORCH_CHECK(gradient.layout() == at::kStrided, "graphed::optim::", rules_->name(), ": a gradient is not dense");
    TORCH_CHECK(at::isFloatingType(parameter.scalar_type()), "graphed::optim::", rules_->name(), ": a parameter is of ",
                parameter.scalar_type(), ", not real");
    auto to = std::find_if(batches.begin(), batches.end(), [&](const batch& batch) {
      return batch.parameters[0].device() == parameter.device() && batch.parameters[0].scalar_type() == parameter.scalar_type();
    });
    if (to == batches.end()) {
      const auto moved = [&](const std::optional<at::Tensor>& tensor) {
        return tensor ? std::optional(tensor->to(parameter.device(), /*non_blocking=*/true)) : std::nullopt;
      };
      batches.push_back({{}, {}, {}, numbers_of(index, parameter.device()).on_device, moved(found_inf), moved(grad_scale)});
      to = batches.end() - 1;
    }
    to->parameters.push_back(parameter);
    to->gradients.push_back(gradient);
    to->states.push_back(&state_of(parameter, group.options()));
  }
  for (const batch& batch : batches) {
    if (batch.found_inf && !rules_->is_fused(group.options())) {
      update_unless(*batch.found_inf, batch, [&] { rules_->update(batch, group.options()); });
    } else {
      rules_->update(batch, group.options());
    }
  }
}

void Optimizer::save(torch::serialize::OutputArchive& archive) const { optim::save(*this, *rules_, archive); }

void Optimizer::load(torch::serialize::InputArchive& archive) {
  own_options();
  optim::load(*this, *rules_, archive);
  make_states();
}

// Where it is undefined.
static void complete(at::Tensor& tensor, const at::Tensor& parameter, c10::function_ref<at::Tensor()> make) {
  if (tensor.defined()) {
    return;
  }
  if (inside_capture() && !parameter.is_cpu()) {
    throw CaptureError("an optimizer has no state for a parameter of shape " + c10::str(parameter.sizes()) +
                       " yet, and a capture cannot make it: warm up, or add parameter groups by graphed::optim's add_param_group()");
  }
  const unrecorded_scope hidden;
  const c10::InferenceMode normal_tensor(false);
  const c10::NoGradGuard no_grad;
  tensor = make();
}

void complete_zeros(at::Tensor& tensor, const at::Tensor& parameter) {
  complete(tensor, parameter, [&] { return at::zeros_like(parameter, parameter.options(), at::MemoryFormat::Preserve); });
}

void complete_number(at::Tensor& tensor, const at::Tensor& parameter, double value) {
  complete(tensor, parameter, [&] { return at::full({}, value, parameter.options().dtype(at::kFloat).requires_grad(false)); });
}

static tensors widened(const tensors& narrow) {
  tensors wide;
  for (const at::Tensor& tensor : narrow) {
    wide.push_back(tensor.to(at::kFloat));
  }
  return wide;
}

void update_widened(const algorithm& rules, const batch& batch, c10::function_ref<void(const struct batch&)> update) {
  struct batch wide{widened(batch.parameters), widened(batch.gradients), {}, batch.numbers, batch.found_inf, batch.grad_scale};
  std::vector<std::unique_ptr<ParamState>> states;
  tensors from = wide.parameters, to = batch.parameters;
  for (ParamState* state : batch.states) {
    const auto& copy = states.emplace_back(rules.make_state());
    wide.states.push_back(copy.get());
    const auto narrow_tensors = state->tensors(), wide_tensors = copy->tensors();
    for (std::size_t i = 0; i < narrow_tensors.size(); ++i) {
      if (narrow_tensors[i]->defined()) {
        *wide_tensors[i] = narrow_tensors[i]->to(at::kFloat);  // itself, where it is float32
        from.push_back(*wide_tensors[i]);
        to.push_back(*narrow_tensors[i]);
      }
    }
  }
  update(wide);
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!to[i].is_same(from[i])) {
      to[i].copy_(from[i]);
    }
  }
}

}  // namespace graphed::optim
