// SPDX-License-Identifier: Apache-2.0
#include "steps.graphed.h"

#include <graphed/average.h>
#include <graphed/backward_here.h>
#include <graphed/clip_grad.h>
#include <graphed/optim/adam.h>
#include <graphed/optim/sgd.h>

#include <torch/autograd.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <cmath>
#include <memory>
#include <utility>

namespace benchmarks {

namespace nn = torch::nn;

namespace {

constexpr int64_t observation_size = 17, action_size = 6, hidden = 256;
constexpr double discount = 0.99, target_weight = 0.005;
constexpr double pi = 3.14159265358979323846;

std::unique_ptr<torch::optim::Optimizer> make_adam(tensor_list parameters, optimizers choice, double rate, double eps = 1e-8) {
  if (choice == optimizers::graphed) {
    return std::make_unique<graphed::optim::Adam>(std::move(parameters), graphed::optim::AdamOptions(rate).eps(eps));
  }
  return std::make_unique<torch::optim::Adam>(std::move(parameters), torch::optim::AdamOptions(rate).eps(eps));
}

nn::Sequential layers(int64_t in, int64_t out) {
  return nn::Sequential(nn::Linear(in, hidden), nn::ReLU(), nn::Linear(hidden, hidden), nn::ReLU(), nn::Linear(hidden, out));
}

nn::Sequential actor_layers() {
  nn::Sequential actor = layers(observation_size, action_size);
  actor->push_back(nn::Tanh());
  return actor;
}

/// Logarithms of the densities of normal distributions, summed over the actions.
Tensor log_density(const Tensor& x, const Tensor& mean, const Tensor& log_deviation) {
  const Tensor scaled = (x - mean) * (-log_deviation).exp();
  return (scaled.square() * -0.5 - log_deviation - 0.5 * std::log(2 * pi)).sum(1);
}

void step(torch::optim::Optimizer& optimizer, const Tensor& loss) {
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
}

}  // namespace

MnistImpl::MnistImpl(c10::Device device, optimizers choice)
    : conv1_(nn::Conv2dOptions(1, 10, 5)), conv2_(nn::Conv2dOptions(10, 20, 5)), linear1_(320, 50), linear2_(50, 10) {
  register_module("conv1", conv1_);
  register_module("conv2", conv2_);
  register_module("dropout", dropout_);
  register_module("linear1", linear1_);
  register_module("linear2", linear2_);
  to(device);
  const auto options = torch::optim::SGDOptions(0.01).momentum(0.5);
  if (choice == optimizers::graphed) {
    optimizer_ = std::make_unique<graphed::optim::SGD>(parameters(), graphed::optim::SGDOptions(options));
  } else {
    optimizer_ = std::make_unique<torch::optim::SGD>(parameters(), options);
  }
}

Tensor MnistImpl::forward(const Tensor& images) {
  const Tensor first = torch::relu(torch::max_pool2d(conv1_(images), 2));
  const Tensor second = torch::relu(torch::max_pool2d(dropout_(conv2_(first)), 2));
  const Tensor third = torch::dropout(torch::relu(linear1_(second.view({-1, 320}))), 0.5, is_training());
  return torch::log_softmax(linear2_(third), 1);
}

Tensor MnistImpl::learn(const Tensor& images, const Tensor& labels) {
  optimizer_->zero_grad();
  const Tensor loss = torch::nll_loss(forward(images), labels);
  loss.backward();
  optimizer_->step();
  return loss.detach();
}

CriticsImpl::CriticsImpl() : first_(layers(observation_size + action_size, 1)), second_(layers(observation_size + action_size, 1)) {
  register_module("first", first_);
  register_module("second", second_);
}

Tensor CriticsImpl::first(const Tensor& observations, const Tensor& actions) {
  return first_->forward(at::cat({observations, actions}, 1));
}
Tensor CriticsImpl::second(const Tensor& observations, const Tensor& actions) {
  return second_->forward(at::cat({observations, actions}, 1));
}

Tensor CriticsImpl::lower(const Tensor& observations, const Tensor& actions) {
  return at::min(first(observations, actions), second(observations, actions));
}

Tensor CriticsImpl::loss(const Tensor& observations, const Tensor& actions, const Tensor& targets) {
  return at::mse_loss(first(observations, actions), targets) + at::mse_loss(second(observations, actions), targets);
}

Td3Impl::Td3Impl(c10::Device device, optimizers choice) : actor_(actor_layers()), target_actor_(actor_layers()) {
  register_module("actor", actor_);
  register_module("target_actor", target_actor_);
  register_module("critics", critics_);
  register_module("target_critics", target_critics_);
  to(device);
  graphed::copy_(*target_actor_, *actor_);
  graphed::copy_(*target_critics_, *critics_);
  actor_optimizer_ = make_adam(actor_->parameters(), choice, 3e-4);
  critic_optimizer_ = make_adam(critics_->parameters(), choice, 3e-4);
}

Tensor Td3Impl::learn(const Tensor& observations, const Tensor& actions, const Tensor& next, const Tensor& rewards, const Tensor& ended) {
  Tensor targets;
  {
    const torch::NoGradGuard no_grad;
    const Tensor noise = (at::randn_like(actions) * 0.2).clamp(-0.5, 0.5);
    const Tensor next_actions = (target_actor_->forward(next) + noise).clamp(-1, 1);
    targets = rewards + (1 - ended) * discount * target_critics_->lower(next, next_actions);
  }
  const Tensor critic_loss = critics_->loss(observations, actions, targets);
  step(*critic_optimizer_, critic_loss);
  step(*actor_optimizer_, -critics_->first(observations, actor_->forward(observations)).mean());
  graphed::lerp_(*target_actor_, *actor_, target_weight);
  graphed::lerp_(*target_critics_, *critics_, target_weight);
  return critic_loss.detach();
}

SacImpl::SacImpl(c10::Device device, optimizers choice)
    : trunk_(nn::Linear(observation_size, hidden), nn::ReLU(), nn::Linear(hidden, hidden), nn::ReLU()),
      mean_(hidden, action_size),
      log_deviation_(hidden, action_size) {
  register_module("trunk", trunk_);
  register_module("mean", mean_);
  register_module("log_deviation", log_deviation_);
  register_module("critics", critics_);
  register_module("target_critics", target_critics_);
  log_temperature_ = register_parameter("log_temperature", torch::zeros({1}));
  to(device);
  graphed::copy_(*target_critics_, *critics_);
  tensor_list actor = trunk_->parameters();
  for (const auto& head : {mean_, log_deviation_}) {
    for (const Tensor& parameter : head->parameters()) {
      actor.push_back(parameter);
    }
  }
  actor_optimizer_ = make_adam(std::move(actor), choice, 3e-4);
  critic_optimizer_ = make_adam(critics_->parameters(), choice, 1e-3);
  temperature_optimizer_ = make_adam({log_temperature_}, choice, 1e-3);
}

SacImpl::Draw SacImpl::draw(const Tensor& observations) {
  constexpr double lowest = -5, highest = 2;  // of the logarithms of deviations
  const Tensor features = trunk_->forward(observations);
  const Tensor mean = mean_(features);
  const Tensor log_deviation = lowest + 0.5 * (highest - lowest) * (log_deviation_(features).tanh() + 1);
  const Tensor x = mean + log_deviation.exp() * at::randn_like(mean);
  const Tensor actions = x.tanh();
  return {actions, (log_density(x, mean, log_deviation) - (1 - actions.square() + 1e-6).log().sum(1)).unsqueeze(1)};
}

Tensor SacImpl::learn(const Tensor& observations, const Tensor& actions, const Tensor& next, const Tensor& rewards, const Tensor& ended) {
  const Tensor temperature = log_temperature_.detach().exp();
  Tensor targets;
  {
    const torch::NoGradGuard no_grad;
    const Draw drawn = draw(next);
    targets = rewards + (1 - ended) * discount * (target_critics_->lower(next, drawn.actions) - temperature * drawn.log_likelihoods);
  }
  const Tensor critic_loss = critics_->loss(observations, actions, targets);
  step(*critic_optimizer_, critic_loss);
  const Draw drawn = draw(observations);
  step(*actor_optimizer_, (temperature * drawn.log_likelihoods - critics_->lower(observations, drawn.actions)).mean());
  step(*temperature_optimizer_, (-log_temperature_.exp() * (drawn.log_likelihoods.detach() - action_size)).mean());
  graphed::lerp_(*target_critics_, *critics_, target_weight);
  return critic_loss.detach();
}

PpoImpl::PpoImpl(c10::Device device, optimizers choice)
    : choice_(choice),
      actor_(nn::Linear(observation_size, 64), nn::Tanh(), nn::Linear(64, 64), nn::Tanh(), nn::Linear(64, action_size)),
      critic_(nn::Linear(observation_size, 64), nn::Tanh(), nn::Linear(64, 64), nn::Tanh(), nn::Linear(64, 1)) {
  register_module("actor", actor_);
  register_module("critic", critic_);
  log_deviation_ = register_parameter("log_deviation", torch::zeros({1, action_size}));
  to(device);
  optimizer_ = make_adam(parameters(), choice, 3e-4, 1e-5);
}

Tensor PpoImpl::learn(const Tensor& observations, const Tensor& actions, const Tensor& log_likelihoods, const Tensor& advantages,
                      const Tensor& returns, const Tensor& values) {
  constexpr double clip = 0.2, value_weight = 0.5, entropy_weight = 0, max_norm = 0.5;
  const Tensor log_deviation = log_deviation_.expand({observations.size(0), action_size});
  const Tensor ratios = (log_density(actions, actor_->forward(observations), log_deviation) - log_likelihoods).exp();
  const Tensor normalised = (advantages - advantages.mean()) / (advantages.std() + 1e-8);
  const Tensor policy_loss = at::max(-normalised * ratios, -normalised * ratios.clamp(1 - clip, 1 + clip)).mean();
  const Tensor found = critic_->forward(observations).view(-1);
  const Tensor clipped = values + (found - values).clamp(-clip, clip);
  const Tensor value_loss = 0.5 * at::max((found - returns).square(), (clipped - returns).square()).mean();
  const Tensor entropy = (log_deviation + 0.5 + 0.5 * std::log(2 * pi)).sum(1).mean();
  const Tensor loss = policy_loss - entropy_weight * entropy + value_weight * value_loss;
  optimizer_->zero_grad();
  loss.backward();
  if (choice_ == optimizers::graphed) {
    graphed::clip_grad_norm_(parameters(), max_norm);
  } else {
    nn::utils::clip_grad_norm_(parameters(), max_norm);  // graphgen: allow(graphed-torch-optim)
  }
  optimizer_->step();
  return loss.detach();
}

ForceMatchingImpl::ForceMatchingImpl(c10::Device device, optimizers choice)
    : layers_(nn::Linear(17, 32), nn::Tanh(), nn::Linear(32, 32), nn::Tanh(), nn::Linear(32, 1)) {
  register_module("layers", layers_);
  itself_ = register_buffer("itself", 1e4 * torch::eye(13));
  distances_ = register_buffer("distances", torch::linspace(0.8, 3.2, 17));
  to(device);
  optimizer_ = make_adam(parameters(), choice, 5e-3);
}

Tensor ForceMatchingImpl::energies_of(const Tensor& positions) {
  const Tensor squares = (positions.unsqueeze(-2) - positions.unsqueeze(-3)).square().sum(-1);
  const Tensor distances = (squares + itself_).sqrt();
  const Tensor near = at::exp(-((distances.unsqueeze(-1) - distances_) / 0.15).square());
  return layers_->forward(near.sum(-2)).sum({-2, -1});
}

Tensor ForceMatchingImpl::learn(const Tensor& positions, const Tensor& energies, const Tensor& forces) {
  const graphed::BackwardHereGuard here;  // eager's sums of three gradients have one order
  const Tensor moved = positions.detach().requires_grad_();
  const Tensor found = energies_of(moved);
  const Tensor gradient = torch::autograd::grad({found.sum()}, {moved}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
  const Tensor loss = at::mse_loss(found / 13, energies / 13) + at::mse_loss(-gradient, forces);
  step(*optimizer_, loss);
  return loss.detach();
}

namespace {

/// `Module::learn` on inputs that `make_inputs` draws.
template <class Holder>
entry step_of(const char* name, std::function<tensor_list(c10::Device)> make_inputs) {
  using Module = typename Holder::ContainedType;
  const auto make = [make_inputs = std::move(make_inputs)](c10::Device device, optimizers choice) {
    const Holder net(device, choice);
    const auto fast = std::make_shared<graphed::callable<&Module::learn>>(net);
    const auto spread = [](const auto& f, const tensor_list& in) {
      if constexpr (std::is_same_v<Holder, Mnist>) {
        return f(in[0], in[1]);
      } else if constexpr (std::is_same_v<Holder, ForceMatching>) {
        return f(in[0], in[1], in[2]);
      } else if constexpr (std::is_same_v<Holder, Ppo>) {
        return f(in[0], in[1], in[2], in[3], in[4], in[5]);
      } else {
        return f(in[0], in[1], in[2], in[3], in[4]);
      }
    };
    return workload{
        draw_batches([&] { return batch{make_inputs(device)}; }),
        {[net, spread](const tensor_list& in) { return spread([&](const auto&... each) { return net.ptr()->learn(each...); }, in); }},
        {[net, fast, spread](const tensor_list& in) { return spread([&](const auto&... each) { return (*fast)(each...); }, in); }},
        [fast] { return fast->stats(); },
        state_of(net)};
  };
  return {name, unit::step, /*small=*/true, /*further=*/{"libtorch"}, make};
}

tensor_list transitions(c10::Device device) {
  return {at::randn({256, observation_size}, device), at::rand({256, action_size}, device) * 2 - 1,
          at::randn({256, observation_size}, device), at::randn({256, 1}, device), at::zeros({256, 1}, device)};
}

}  // namespace

std::vector<entry> step_workloads() {
  return {
      step_of<Mnist>("mnist-step",
                     [](c10::Device device) {
                       return tensor_list{at::randn({64, 1, 28, 28}, device),
                                          at::randint(10, {64}, at::TensorOptions(at::kLong).device(device))};
                     }),
      step_of<Td3>("td3-update", transitions),
      step_of<Sac>("sac-update", transitions),
      step_of<Ppo>(
          "ppo-minibatch",
          [](c10::Device device) {
            const auto draw = [&] { return at::randn({64}, device); };
            return tensor_list{
                at::randn({64, observation_size}, device), at::randn({64, action_size}, device), draw() - 8, draw(), draw(), draw()};
          }),
      step_of<ForceMatching>("force-matching",
                             [](c10::Device device) {
                               return tensor_list{at::randn({32, 13, 3}, device) * 2, at::randn({32}, device),
                                                  at::randn({32, 13, 3}, device)};
                             }),
  };
}

}  // namespace benchmarks
