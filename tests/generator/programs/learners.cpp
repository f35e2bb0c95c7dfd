// SPDX-License-Identifier: Apache-2.0
//
// What learns: whole training steps, as in public programs. tests/generator/programs/README.md shows of each what graphgen says, and why.
#include <graphed/annotate.h>
#include <graphed/average.h>
#include <graphed/clip_grad.h>
#include <graphed/grad_scaler.h>
#include <graphed/optim.h>
#include <graphed/scalar.h>

#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace learners {

constexpr int64_t kBatch = 64, kObservation = 8, kActions = 4, kHidden = 64, kPixels = 784, kLatent = 20;

torch::nn::Sequential perceptron(int64_t in, int64_t out) {
  return torch::nn::Sequential(torch::nn::Linear(in, kHidden), torch::nn::ReLU(), torch::nn::Linear(kHidden, out));
}

class DigitTrainer {
 public:
  GRAPHED(images: f32[kBatch, kPixels], labels: i64[kBatch]; step)
  torch::Tensor learn(const torch::Tensor& images, const torch::Tensor& labels) {
    optimizer_.zero_grad();
    const torch::Tensor loss = torch::nll_loss(torch::log_softmax(net_->forward(images), 1), labels);
    AT_ASSERT(!std::isnan(loss.template item<float>()));
    loss.backward();
    optimizer_.step();
    if (++batches_ % 10 == 0) {
      std::printf("batch %lld loss %.4f\n", static_cast<long long>(batches_), loss.item<float>());
    }
    return loss.detach();
  }

 private:
  torch::nn::Sequential net_ = perceptron(kPixels, 10);
  torch::optim::SGD optimizer_{net_->parameters(), torch::optim::SGDOptions(0.01).momentum(0.5)};
  int64_t batches_ = 0;
};

class AdversarialTrainer {
 public:
  GRAPHED(real: f32[kBatch, kPixels]; step)
  std::pair<torch::Tensor, torch::Tensor> step(const torch::Tensor& real) {
    discriminator_->zero_grad();
    const torch::Tensor real_labels = torch::empty({kBatch, 1}, real.options()).uniform_(0.8, 1.0);
    const torch::Tensor real_loss = torch::binary_cross_entropy(discriminate(real), real_labels);
    real_loss.backward();
    const torch::Tensor fake = torch::tanh(generator_->forward(torch::randn({kBatch, kLatent}, real.options())));
    const torch::Tensor fake_loss = torch::binary_cross_entropy(discriminate(fake.detach()), torch::zeros_like(real_labels));
    fake_loss.backward();
    discriminator_optimizer_.step();
    generator_->zero_grad();
    const torch::Tensor generator_loss = torch::binary_cross_entropy(discriminate(fake), torch::ones_like(real_labels));
    generator_loss.backward();
    generator_optimizer_.step();
    return {(real_loss + fake_loss).detach(), generator_loss.detach()};
  }

 private:
  torch::Tensor discriminate(const torch::Tensor& x) { return torch::sigmoid(discriminator_->forward(x)); }

  torch::nn::Sequential generator_ = perceptron(kLatent, kPixels), discriminator_ = perceptron(kPixels, 1);
  torch::optim::Adam generator_optimizer_{generator_->parameters(), torch::optim::AdamOptions(2e-4).betas({0.5, 0.999})};
  torch::optim::Adam discriminator_optimizer_{discriminator_->parameters(), torch::optim::AdamOptions(2e-4).betas({0.5, 0.999})};
};

class VariationalAutoencoder {
 public:
  GRAPHED(images: f32[kBatch, kPixels]; step)
  torch::Tensor learn(const torch::Tensor& images) {
    const std::vector<torch::Tensor> code = encoder_->forward(images).chunk(2, 1);
    const torch::Tensor mean = code[0], log_variance = code[1];
    const torch::Tensor latent = mean + torch::exp(0.5 * log_variance) * torch::randn_like(mean);
    const torch::Tensor decoded = torch::sigmoid(decoder_->forward(latent));
    const torch::Tensor reconstruction = torch::binary_cross_entropy(decoded, images, {}, at::Reduction::Sum);
    const torch::Tensor divergence = -0.5 * torch::sum(1 + log_variance - mean.pow(2) - log_variance.exp());
    const torch::Tensor loss = reconstruction + divergence;
    optimizer_.zero_grad();
    loss.backward();
    optimizer_.step();
    return loss.detach();
  }

 private:
  torch::nn::Sequential encoder_ = perceptron(kPixels, 2 * kLatent), decoder_ = perceptron(kLatent, kPixels);
  graphed::optim::Adam optimizer_{both(), graphed::optim::AdamOptions(1e-3)};

  std::vector<torch::Tensor> both() {
    std::vector<torch::Tensor> parameters = encoder_->parameters();
    for (const torch::Tensor& parameter : decoder_->parameters()) {
      parameters.push_back(parameter);
    }
    return parameters;
  }
};

struct Rollout {
  torch::Tensor observations, actions, log_probabilities, advantages, returns;
};

class PpoLearner {
 public:
  GRAPHED(rollout: {
    observations: f32[kBatch, kObservation],
    actions: i64[kBatch],
    log_probabilities: f32[kBatch],
    advantages: f32[kBatch],
    returns: f32[kBatch]
  };
  step)
  torch::Tensor minibatch(const Rollout& rollout) {
    const torch::Tensor advantages = (rollout.advantages - rollout.advantages.mean()) / (rollout.advantages.std() + 1e-8);
    const torch::Tensor log_probabilities = torch::log_softmax(actor_->forward(rollout.observations), -1);
    const torch::Tensor chosen = log_probabilities.gather(-1, rollout.actions.unsqueeze(-1)).squeeze(-1);
    const torch::Tensor ratio = torch::exp(chosen - rollout.log_probabilities);
    const torch::Tensor kl = (rollout.log_probabilities - chosen).mean();
    if (kl.item<float>() > 1.5 * target_kl_) {
      return kl.detach();
    }
    const torch::Tensor surrogate = torch::min(ratio * advantages, torch::clamp(ratio, 1.0 - clip_, 1.0 + clip_) * advantages);
    const torch::Tensor entropy = -(log_probabilities * log_probabilities.exp()).sum(-1).mean();
    const torch::Tensor value_loss = torch::mse_loss(critic_->forward(rollout.observations).squeeze(-1), rollout.returns);
    optimizer_.zero_grad();
    (0.5 * value_loss - surrogate.mean() - 0.01 * entropy).backward();
    torch::nn::utils::clip_grad_norm_(optimizer_.param_groups()[0].params(), 0.5);
    optimizer_.step();
    return kl.detach();
  }

  GRAPHED(rollout: {
    observations: f32[kBatch, kObservation],
    actions: i64[kBatch],
    log_probabilities: f32[kBatch],
    advantages: f32[kBatch],
    returns: f32[kBatch]
  };
  step)
  torch::Tensor clipped_minibatch(const Rollout& rollout) {
    const torch::Tensor log_probabilities = torch::log_softmax(actor_->forward(rollout.observations), -1);
    const torch::Tensor ratio =
        torch::exp(log_probabilities.gather(-1, rollout.actions.unsqueeze(-1)).squeeze(-1) - rollout.log_probabilities);
    const torch::Tensor surrogate = torch::min(ratio * rollout.advantages, ratio.clamp(1.0 - clip_, 1.0 + clip_) * rollout.advantages);
    const torch::Tensor value_loss = torch::mse_loss(critic_->forward(rollout.observations).squeeze(-1), rollout.returns);
    const torch::Tensor loss = 0.5 * value_loss - surrogate.mean();
    optimizer_.zero_grad();
    loss.backward();
    graphed::clip_grad_norm_(optimizer_.param_groups()[0].params(), 0.5);
    optimizer_.step();
    return loss.detach();
  }

 private:
  std::vector<torch::Tensor> both() {
    std::vector<torch::Tensor> parameters = actor_->parameters();
    const std::vector<torch::Tensor> others = critic_->parameters();
    parameters.insert(parameters.end(), others.begin(), others.end());
    return parameters;
  }

  torch::nn::Sequential actor_ = perceptron(kObservation, kActions), critic_ = perceptron(kObservation, 1);
  graphed::optim::Adam optimizer_{both(), graphed::optim::AdamOptions(3e-4)};
  double clip_ = 0.2, target_kl_ = 0.01;
};

struct Transitions {
  torch::Tensor observations, actions, rewards, next, done;
};

void polyak(const torch::nn::Sequential& target, const torch::nn::Sequential& source, double rho) {
  torch::NoGradGuard no_grad;
  const std::vector<torch::Tensor> from = source->parameters();
  std::vector<torch::Tensor> to = target->parameters();
  for (size_t i = 0; i < to.size(); ++i) {
    to[i].mul_(rho).add_(from[i], 1 - rho);
  }
}

class TwinDelayed {
 public:
  GRAPHED(batch: {
    observations: f32[kBatch, kObservation],
    actions: f32[kBatch, kActions],
    rewards: f32[kBatch, 1],
    next: f32[kBatch, kObservation],
    done: f32[kBatch, 1]
  },
  update_policy: key;
  step)
  torch::Tensor update(const Transitions& batch, bool update_policy) {
    torch::Tensor wanted;
    {
      torch::NoGradGuard no_grad;
      const torch::Tensor noise = (torch::randn_like(batch.actions) * 0.2).clamp(-0.5, 0.5);
      const torch::Tensor actions = (torch::tanh(target_actor_->forward(batch.next)) + noise).clamp(-1, 1);
      torch::Tensor lowest = value(target_critics_[0], batch.next, actions);
      for (size_t i = 1; i < target_critics_.size(); ++i) {
        lowest = torch::minimum(lowest, value(target_critics_[i], batch.next, actions));
      }
      wanted = batch.rewards + gamma_ * (1 - batch.done) * lowest;
    }
    torch::Tensor loss = torch::zeros({}, batch.rewards.options());
    for (const torch::nn::Sequential& critic : critics_) {
      loss = loss + torch::mse_loss(value(critic, batch.observations, batch.actions), wanted);
    }
    critic_optimizer_.zero_grad();
    loss.backward();
    critic_optimizer_.step();
    if (update_policy) {
      const torch::Tensor actor_loss = -value(critics_[0], batch.observations, torch::tanh(actor_->forward(batch.observations))).mean();
      actor_optimizer_.zero_grad();
      actor_loss.backward({}, std::nullopt, false, actor_->parameters());
      actor_optimizer_.step();
      polyak(target_actor_, actor_, rho_);
      for (size_t i = 0; i < critics_.size(); ++i) {
        polyak(target_critics_[i], critics_[i], rho_);
      }
    }
    return loss.detach();
  }

 private:
  static torch::Tensor value(const torch::nn::Sequential& critic, const torch::Tensor& observations, const torch::Tensor& actions) {
    torch::nn::Sequential net = critic;
    return net->forward(torch::cat({observations, actions}, 1));
  }

  std::vector<torch::Tensor> critic_parameters() {
    std::vector<torch::Tensor> parameters;
    for (const torch::nn::Sequential& critic : critics_) {
      for (const torch::Tensor& parameter : critic->parameters()) {
        parameters.push_back(parameter);
      }
    }
    return parameters;
  }

  torch::nn::Sequential actor_ = perceptron(kObservation, kActions), target_actor_ = perceptron(kObservation, kActions);
  std::vector<torch::nn::Sequential> critics_{perceptron(kObservation + kActions, 1), perceptron(kObservation + kActions, 1)};
  std::vector<torch::nn::Sequential> target_critics_{perceptron(kObservation + kActions, 1), perceptron(kObservation + kActions, 1)};
  graphed::optim::Adam actor_optimizer_{actor_->parameters(), graphed::optim::AdamOptions(1e-3)};
  graphed::optim::Adam critic_optimizer_{critic_parameters(), graphed::optim::AdamOptions(1e-3)};
  double gamma_ = 0.99, rho_ = 0.995;
};

class Temperature {
 public:
  GRAPHED(log_probability: f32[kBatch, 1]; step)
  torch::Tensor update(const torch::Tensor& log_probability) {
    const torch::Tensor loss = (-1.0 * log_alpha_ * (log_probability + target_entropy_).detach()).mean();
    optimizer_.zero_grad();
    loss.backward();
    optimizer_.step();
    alpha_ = torch::exp(log_alpha_).detach();
    return loss.detach();
  }

 private:
  torch::Tensor log_alpha_ = torch::zeros({1}, torch::requires_grad()), alpha_ = torch::ones({1});
  graphed::optim::Adam optimizer_{std::vector<torch::Tensor>{log_alpha_}, graphed::optim::AdamOptions(3e-4)};
  double target_entropy_ = -static_cast<double>(kActions);
};

class DqnLearner {
 public:
  GRAPHED(batch: {
    observations: f32[kBatch, kObservation],
    actions: i64[kBatch],
    rewards: f32[kBatch],
    next: f32[kBatch, kObservation],
    done: f32[kBatch]
  };
  step)
  torch::Tensor learn(const Transitions& batch) {
    const torch::Tensor chosen = net_->forward(batch.observations).gather(1, batch.actions.unsqueeze(1)).squeeze(1);
    const torch::Tensor best = std::get<0>(target_->forward(batch.next).max(1)).detach();
    const torch::Tensor loss = torch::smooth_l1_loss(chosen, batch.rewards + 0.99 * best * (1 - batch.done));
    optimizer_.zero_grad();
    loss.backward();
    for (const torch::Tensor& parameter : net_->parameters()) {
      parameter.grad().data().clamp_(-1, 1);
    }
    optimizer_.step();
    if (++updates_ % 1000 == 0) {
      polyak(target_, net_, 0.0);
    }
    return loss.detach();
  }

 private:
  torch::nn::Sequential net_ = perceptron(kObservation, kActions), target_ = perceptron(kObservation, kActions);
  graphed::optim::RMSprop optimizer_{net_->parameters(), graphed::optim::RMSpropOptions(1e-3)};
  int64_t updates_ = 0;
};

class MixedPrecision {
 public:
  explicit MixedPrecision(torch::Device device) : scaler_(device) {}

  GRAPHED(x: f32[kBatch, kPixels], labels: i64[kBatch]; step)
  torch::Tensor learn(const torch::Tensor& x, const torch::Tensor& labels) {
    optimizer_.zero_grad();
    at::autocast::set_autocast_enabled(x.device().type(), true);
    const torch::Tensor loss = torch::cross_entropy_loss(net_->forward(x), labels);
    at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(x.device().type(), false);
    scaler_.scale(loss).backward();
    scaler_.unscale_(optimizer_);
    graphed::clip_grad_norm_(net_->parameters(), 1.0);
    scaler_.step(optimizer_);
    scaler_.update();
    return loss.detach();
  }

 private:
  torch::nn::Sequential net_ = perceptron(kPixels, 10);
  graphed::optim::AdamW optimizer_{net_->parameters(), graphed::optim::AdamWOptions(1e-3)};
  graphed::GradScaler scaler_;
};

class ScheduledTrainer {
 public:
  GRAPHED(x: f32[kBatch, kPixels], labels: i64[kBatch]; step)
  torch::Tensor learn(const torch::Tensor& x, const torch::Tensor& labels) {
    optimizer_.zero_grad();
    const torch::Tensor loss = torch::cross_entropy_loss(net_->forward(x), labels);
    loss.backward();
    optimizer_.step();
    scheduler_.step();
    running_loss_ += loss.item<double>();
    return loss.detach();
  }

 private:
  torch::nn::Sequential net_ = perceptron(kPixels, 10);
  graphed::optim::AdamW optimizer_{net_->parameters(), graphed::optim::AdamWOptions(1e-3)};
  torch::optim::StepLR scheduler_{optimizer_, 1000, 0.5};
  double running_loss_ = 0.0;
};

GRAPHED(averages: f32[kHidden, kHidden] inplace * 2, weights: f32[kHidden, kHidden] * 2, decay: live)
void average(const std::vector<torch::Tensor>& averages, const std::vector<torch::Tensor>& weights, const graphed::Scalar& decay) {
  torch::NoGradGuard no_grad;
  for (size_t i = 0; i < weights.size(); ++i) {
    averages[i].mul_(decay.like(averages[i])).add_(weights[i] * (1 - decay.like(weights[i])));
  }
}

}  // namespace learners
