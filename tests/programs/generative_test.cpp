// SPDX-License-Identifier: Apache-2.0
//
// Programs that make images: a denoising diffusion model, and a generator against a discriminator.
#include "program.h"

#include <graphed/annotate.h>
#include <graphed/optim/adam.h>

#include <cmath>
#include <cstdint>

namespace generative {

using at::Tensor;

constexpr int64_t kBatch = 4, kPixels = 16, kFeatures = 8, kSteps = 4, kLatent = 3;

/// A network that gets the time step (https://arxiv.org/abs/2006.11239). Its tables are made on the host in each call.
struct DenoiserImpl : torch::nn::Module {
  DenoiserImpl() {
    register_module("in", in);
    register_module("out", out);
  }

  Tensor forward(const Tensor& x, const Tensor& t) {
    const Tensor frequencies = torch::exp(torch::arange(kFeatures / 2) * (-std::log(1e4) / (kFeatures / 2 - 1))).to(x.device());
    const Tensor angles = t.to(torch::kFloat).unsqueeze(1) * frequencies.unsqueeze(0);
    return out(torch::silu(in(torch::cat({x, angles.sin(), angles.cos()}, 1))));
  }

  torch::nn::Linear in{kPixels + kFeatures, 32}, out{32, kPixels};
};
TORCH_MODULE(Denoiser);

class Diffusion {
 public:
  explicit Diffusion(c10::Device device) {
    denoiser->to(device);
    betas_ = torch::linspace(0.02, 0.3, kSteps).to(device);
    alpha_bars_ = torch::cumprod(1 - betas_, 0);
  }

  GRAPHED(images: f32[kBatch, kPixels]; step)
  Tensor learn(const Tensor& images) {
    const Tensor t = torch::randint(kSteps, {images.size(0)}, images.options().dtype(torch::kLong));
    const Tensor noise = torch::randn_like(images);
    const Tensor kept = alpha_bars_.index_select(0, t).unsqueeze(1);
    const Tensor loss = torch::mse_loss(denoiser(kept.sqrt() * images + (1 - kept).sqrt() * noise, t), noise);
    optimizer_.zero_grad();
    loss.backward();
    optimizer_.step();
    return loss.detach();
  }

  /// One step back in time, with a graph for each.
  GRAPHED(x: f32[kBatch, kPixels], t: key)
  Tensor sample(const Tensor& x, int64_t t) {
    const torch::NoGradGuard no_grad;
    const Tensor times = torch::full({x.size(0)}, t, torch::kLong).to(x.device());
    const Tensor predicted = denoiser(x, times);
    const Tensor mean = (x - betas_[t] / (1 - alpha_bars_[t]).sqrt() * predicted) / (1 - betas_[t]).sqrt();
    return t == 0 ? mean : mean + betas_[t].sqrt() * torch::randn_like(x);
  }

  Denoiser denoiser;

 private:
  Tensor betas_, alpha_bars_;
  graphed::optim::Adam optimizer_{denoiser->parameters(), graphed::optim::AdamOptions(1e-2)};
};

/// The losses of PyTorch's C++ example of DCGAN, with a network each of two layers.
class Adversaries {
 public:
  explicit Adversaries(c10::Device device) {
    generator->to(device);
    discriminator->to(device);
  }

  GRAPHED(real: f32[kBatch, kPixels], noise: f32[kBatch, kLatent]; step)
  Tensor train_discriminator(const Tensor& real, const Tensor& noise) {
    discriminator->zero_grad();
    const Tensor labels = torch::empty({real.size(0), 1}, real.options()).uniform_(0.8, 1.0);
    const Tensor real_loss = torch::binary_cross_entropy(discriminator->forward(real), labels);
    real_loss.backward();
    const Tensor fake = generator->forward(noise);
    const Tensor fake_loss = torch::binary_cross_entropy(discriminator->forward(fake.detach()), torch::zeros_like(labels));
    fake_loss.backward();
    of_discriminator_.step();
    return (real_loss + fake_loss).detach();
  }

  /// Adds to the gradients of the discriminator too, which its own step sets to nothing.
  GRAPHED(noise: f32[kBatch, kLatent]; step)
  Tensor train_generator(const Tensor& noise) {
    generator->zero_grad();
    const Tensor judged = discriminator->forward(generator->forward(noise));
    const Tensor loss = torch::binary_cross_entropy(judged, torch::ones_like(judged));
    loss.backward();
    of_generator_.step();
    return loss.detach();
  }

  torch::nn::Sequential generator{torch::nn::Linear(kLatent, 16), torch::nn::BatchNorm1d(16), torch::nn::ReLU(),
                                  torch::nn::Linear(16, kPixels), torch::nn::Tanh()};
  torch::nn::Sequential discriminator{torch::nn::Linear(kPixels, 16), torch::nn::LeakyReLU(), torch::nn::Linear(16, 1),
                                      torch::nn::Sigmoid()};

 private:
  static graphed::optim::AdamOptions options() { return graphed::optim::AdamOptions(2e-3).betas({0.5, 0.999}); }

  graphed::optim::Adam of_generator_{generator->parameters(), options()};
  graphed::optim::Adam of_discriminator_{discriminator->parameters(), options()};
};

}  // namespace generative

#include "generative_test.graphed.h"

namespace generative {

using programs::program;
using programs::scenario;

GRAPHED_DEVICE_TEST_SUITE(Generative);

TEST_P(Generative, DiffusionLearns) {
  expect_same([](scenario& run) {
    Diffusion model(run.device());
    program<&Diffusion::learn> learn(run, model);
    for (int step = 0; step < 8; ++step) {
      run.see("loss", learn(run.random({kBatch, kPixels})));
    }
    programs::see_parameters(run, *model.denoiser);
    learn.expect(3, 5);
  });
}

TEST_P(Generative, DiffusionSamples) {
  expect_same([](scenario& run) {
    Diffusion model(run.device());
    program<&Diffusion::sample> sample(run, model);
    for (int image = 0; image < 5; ++image) {
      Tensor x = run.random({kBatch, kPixels});
      for (int64_t t = kSteps - 1; t >= 0; --t) {
        x = sample(x, t);
      }
      run.see("image", x);
    }
    sample.expect(3 * kSteps, 2 * kSteps, kSteps);
  });
}

TEST_P(Generative, AdversariesLearnInTurn) {
  expect_same([](scenario& run) {
    Adversaries both(run.device());
    program<&Adversaries::train_discriminator> discriminate(run, both);
    program<&Adversaries::train_generator> generate(run, both);
    for (int step = 0; step < 9; ++step) {
      run.see("loss of the discriminator", discriminate(run.random({kBatch, kPixels}), run.random({kBatch, kLatent})));
      run.see("loss of the generator", generate(run.random({kBatch, kLatent})));
    }
    programs::see_parameters(run, *both.generator);
    programs::see_parameters(run, *both.discriminator);
    discriminate.expect(3, 6);
    generate.expect(3, 6);
  });
}

}  // namespace generative
