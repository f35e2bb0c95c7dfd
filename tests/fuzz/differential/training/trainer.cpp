// SPDX-License-Identifier: Apache-2.0
#include "trainer.h"

#include "optimizers.h"

#include <graphed/average.h>
#include <graphed/clip_grad.h>

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/autograd.h>

namespace graphed::fuzz::training {
namespace {

using kind = statement::kind;
using loss = statement::loss;

// Half of the rows, or all.
batch part_of(const batch& whole, statement::part part) {
  const int64_t half = whole.inputs.size(0) / 2;
  switch (part) {
    case statement::part::first_half:
      return {whole.inputs.narrow(0, 0, half), whole.targets.narrow(0, 0, half)};
    case statement::part::second_half:
      return {whole.inputs.narrow(0, half, half), whole.targets.narrow(0, half, half)};
    default:
      return whole;
  }
}

at::Tensor with_penalty(model& network, const batch& batch) {
  const at::Tensor inputs = batch.inputs.detach().requires_grad_();
  const at::Tensor found = network.forward(inputs);
  const at::Tensor slope = torch::autograd::grad({found.sum()}, {inputs}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
  return (found - batch.targets).square().mean() + (slope.square().sum() - 1).square() * 0.125;
}

}  // namespace

trainer::trainer(const program& program, c10::Device device) : scaler_(device, GradScalerOptions().init_scale(1024).growth_interval(3)) {
  for (const auto& description : program.networks) {
    networks_.push_back(std::make_shared<model>(description, at::TensorOptions(program.dtype).device(device)));
    module_.register_module("network" + std::to_string(networks_.size()), networks_.back());
  }
  for (const auto& description : program.optimizers) {
    auto made = make_optimizer(description, parameters(description.network));
    auto scheduler = std::make_unique<torch::optim::StepLR>(*made, 1, 0.75);
    optimizers_.push_back({std::move(made), std::move(scheduler)});
  }
}

tensor_list trainer::run(const routine& routine, const batch& batch, const std::optional<Scalar>& live) {
  tensor_list results;
  for (const auto& statement : routine.statements) {
    perform(statement, batch, live, results);
  }
  return results;
}

at::Tensor trainer::loss_of(const statement& statement, const batch& batch) {
  model& network = *networks_[statement.network];
  if (statement.how == loss::penalty) {
    return with_penalty(network, batch);
  }
  const at::Tensor found = network.forward(batch.inputs);
  at::Tensor wanted = batch.targets;
  if (statement.how == loss::target || statement.how == loss::actor) {
    const c10::AutoGradMode mode(statement.how == loss::actor);
    wanted = networks_[statement.other]->forward(batch.inputs);
  }
  return statement.how == loss::huber   ? at::huber_loss(found, wanted)
         : statement.how == loss::actor ? -(found * wanted).mean()
                                        : (found - wanted).square().mean();
}

void trainer::take_gradients(const statement& statement, const at::Tensor& loss, tensor_list& results) {
  std::vector<at::Tensor> wanted;
  for (const auto& parameter : parameters(statement.network)) {
    if (parameter.requires_grad()) {
      wanted.push_back(parameter);
    }
  }
  const auto gradients = torch::autograd::grad({loss}, wanted, {}, false, false, /*allow_unused=*/true);
  const c10::AutoGradMode no_grad(false);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (statement.flag && gradients[i].defined()) {
      wanted[i].sub_(gradients[i], 0.0625);
    }
  }
  results.push_back(gradients.at(0));
}

void trainer::perform(const statement& statement, const batch& batch, const std::optional<Scalar>& live, tensor_list& results) {
  optim::Optimizer* optimizer = optimizers_[statement.optimizer].self.get();
  const auto made_loss = [&] {
    const at::Tensor found = loss_of(statement, part_of(batch, statement.of));
    return live ? found * live->like(found) : found;
  };
  switch (statement.what) {
    case kind::zero_grad:
      return optimizer->zero_grad(statement.flag);
    case kind::backward: {
      const at::Tensor loss = made_loss();
      (statement.flag ? scaler_.scale(loss) : loss).backward();
      results.push_back(loss.detach());
      return;
    }
    case kind::gradients:
      return take_gradients(statement, made_loss(), results);
    case kind::unscale:
      return scaler_.unscale_(*optimizer);
    case kind::clip_norm:
      results.push_back(clip_grad_norm_(parameters(statement.network), statement.number));
      return;
    case kind::clip_value:
      return clip_grad_value_(parameters(statement.network), statement.number);
    case kind::step:
      optimizer->step();
      return;
    case kind::scaler_step:
      return scaler_.step(*optimizer);
    case kind::scaler_update:
      return scaler_.update();
    case kind::average:
      return lerp_(*networks_[statement.other], *networks_[statement.network], statement.number);
    case kind::copy:
      return copy_(*networks_[statement.other], *networks_[statement.network]);
  }
}

tensor_list trainer::state() {
  tensor_list all = module_.parameters();
  const auto add = [&](const tensor_list& more) { all.insert(all.end(), more.begin(), more.end()); };
  add(module_.buffers());
  for (auto& optimizer : optimizers_) {
    add(state_of(*optimizer.self));
  }
  all.push_back(at::full({}, scaler_.get_scale()));
  all.push_back(at::full({}, scaler_.get_growth_tracker()));
  return all;
}

}  // namespace graphed::fuzz::training
