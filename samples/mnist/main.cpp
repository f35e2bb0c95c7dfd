// SPDX-License-Identifier: Apache-2.0
//
// Trains the network of PyTorch's C++ tutorial by whole steps, eager and graphed. The first run takes the time of a step. Another one, in a
// process of its own, compares every bit.
#include <torch/torch.h>

#include <graphed/annotate.h>
#include <graphed/optim/sgd.h>

#include "data.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mnist {

namespace nn = torch::nn;
using torch::Tensor;

constexpr int64_t batch_size = 64;

/// The tutorial's network, of the same layers: https://github.com/pytorch/examples/tree/main/cpp/mnist
class NetImpl : public nn::Module {
 public:
  NetImpl() {
    register_module("conv1", conv1_);
    register_module("conv2", conv2_);
    register_module("channel_dropout", channel_dropout_);
    register_module("fc1", fc1_);
    register_module("dropout", dropout_);
    register_module("fc2", fc2_);
  }

  /// images: f32[n, 1, 28, 28]. Returns logarithms of probabilities, f32[n, 10].
  Tensor forward(const Tensor& images) {
    Tensor x = torch::relu(torch::max_pool2d(conv1_(images), 2));                                 // [n, 10, 12, 12]
    x = torch::relu(torch::max_pool2d(channel_dropout_(conv2_(x)), 2)).flatten(/*start_dim=*/1);  // [n, 320]
    x = dropout_(torch::relu(fc1_(x)));
    return torch::log_softmax(fc2_(x), /*dim=*/1);
  }

 private:
  nn::Conv2d conv1_{nn::Conv2dOptions(1, 10, /*kernel_size=*/5)}, conv2_{nn::Conv2dOptions(10, 20, /*kernel_size=*/5)};
  nn::Dropout2d channel_dropout_;
  nn::Linear fc1_{320, 50}, fc2_{50, 10};
  nn::Dropout dropout_;
};
TORCH_MODULE(Net);

struct Trainer {
  /// Forward, backward and the optimizer's step. Returns the loss, f32[].
  GRAPHED(images: f32[batch_size, 1, 28, 28], labels: i64[batch_size]; step)
  Tensor learn(const Tensor& images, const Tensor& labels) {
    optimizer->zero_grad();
    const Tensor loss = torch::nll_loss(net(images), labels);
    loss.backward();
    optimizer->step();
    return loss.detach();
  }

  Net net;
  std::unique_ptr<torch::optim::Optimizer> optimizer;
};

}  // namespace mnist

#include "main.graphed.h"  // written by graphgen, from this file

namespace {

using mnist::Data;
using mnist::Trainer;
using torch::Tensor;

struct Run {
  std::shared_ptr<Trainer> trainer;
  std::vector<double> milliseconds;  // of a full step, in each epoch
  std::vector<double> accuracies;    // after each epoch
  std::vector<Tensor> losses;
  graphed::Statistics stats;
};

void synchronize(torch::Device device) {
  if (device.is_cuda()) {
    torch::cuda::synchronize();
  }
}

double accuracy_of(mnist::Net net, const mnist::Part& test) {
  const torch::NoGradGuard no_grad;
  net->eval();
  const Tensor right = net(test.images).argmax(1).eq(test.labels);
  net->train();
  return right.to(torch::kDouble).mean().item<double>();
}

/// `learn` is the method of `trainer`, or its graphed form.
template <class Learn>
Run train(const std::shared_ptr<Trainer>& trainer, Learn&& learn, const Data& data, int epochs) {
  const torch::Device device = data.train.images.device();
  const auto full = static_cast<size_t>(data.train.labels.size(0) / mnist::batch_size);
  Run run{trainer};
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const Tensor order = torch::randperm(data.train.labels.size(0)).to(device);
    const auto images = data.train.images.index_select(0, order).split(mnist::batch_size);
    const auto labels = data.train.labels.index_select(0, order).split(mnist::batch_size);
    synchronize(device);
    const auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < full; ++i) {
      run.losses.push_back(learn(images[i], labels[i]));
    }
    synchronize(device);
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    run.milliseconds.push_back(elapsed.count() / static_cast<double>(full));
    for (size_t i = full; i < images.size(); ++i) {  // the rest, which is not a full batch
      run.losses.push_back(learn(images[i], labels[i]));
    }
    run.accuracies.push_back(accuracy_of(trainer->net, data.test));
  }
  return run;
}

template <class SGD, class SGDOptions>
std::shared_ptr<Trainer> make_trainer(const Data& data) {
  torch::manual_seed(1);
  mnist::Net net;
  net->to(data.train.images.device());
  return std::make_shared<Trainer>(Trainer{net, std::make_unique<SGD>(net->parameters(), SGDOptions(/*lr=*/0.01).momentum(0.5))});
}

template <class SGD, class SGDOptions>
Run train_eager(const Data& data, int epochs) {
  const auto trainer = make_trainer<SGD, SGDOptions>(data);
  const auto learn = [&](const Tensor& images, const Tensor& labels) { return trainer->learn(images, labels); };
  return train(trainer, learn, data, epochs);
}

Run train_graphed(const Data& data, int epochs) {
  const auto trainer = make_trainer<graphed::optim::SGD, graphed::optim::SGDOptions>(data);
  graphed::callable<&Trainer::learn> learn(*trainer);
  Run run = train(trainer, learn, data, epochs);
  run.stats = learn.stats();
  return run;
}

double least(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

void measure(const Data& data) {
  constexpr int epochs = 3;
  const double libtorch = least(train_eager<torch::optim::SGD, torch::optim::SGDOptions>(data, epochs).milliseconds);
  const double fused = least(train_eager<graphed::optim::SGD, graphed::optim::SGDOptions>(data, epochs).milliseconds);
  const double graphed = least(train_graphed(data, epochs).milliseconds);
  std::cout << "device " << data.train.images.device() << ", " << data.train.labels.size(0) << " images\n"
            << std::fixed << std::setprecision(3) << "eager, torch::optim::SGD    " << std::setw(8) << libtorch
            << " ms a step\neager, graphed::optim::SGD  " << std::setw(8) << fused << " ms a step\ngraphed                     "
            << std::setw(8) << graphed << " ms a step, " << std::setprecision(1) << libtorch / graphed << " times as fast as the first\n\n";
}

/// cuDNN has backward convolutions that sum in another order on each call, and cuBLAS chooses by the free workspace.
void ask_for_determinism() {
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/1);
  at::globalContext().setDeterministicCuDNN(true);
  at::globalContext().setBenchmarkCuDNN(false);
}

/// Parameters, their gradients and their momentum.
std::vector<Tensor> state_of(const Trainer& trainer) {
  std::vector<Tensor> all;
  for (const Tensor& parameter : trainer.net->parameters()) {
    auto& state = *trainer.optimizer->state().at(parameter.unsafeGetTensorImpl());
    all.insert(all.end(), {parameter, parameter.grad(), static_cast<graphed::optim::SGDParamState&>(state).momentum_buffer()});
  }
  return all;
}

bool all_equal(const std::vector<Tensor>& left, const std::vector<Tensor>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), torch::equal);
}

bool report(bool good, const std::string& what) {
  std::cout << (good ? "  yes  " : "  NO   ") << what << '\n';
  return good;
}

bool compare(const Data& data, int epochs, int percent_wanted) {
  const Run eager = train_eager<graphed::optim::SGD, graphed::optim::SGDOptions>(data, epochs);
  const Run graphed = train_graphed(data, epochs);
  const auto full = static_cast<uint64_t>(data.train.labels.size(0) / mnist::batch_size * epochs);
  const auto misses = graphed.stats.misses_by_parameter.find("images: shape");
  const auto missed = misses == graphed.stats.misses_by_parameter.end() ? 0 : misses->second;

  std::cout << epochs << " epochs, eager and graphed, compared bit for bit\n"
            << graphed.stats << "test accuracy " << std::fixed << std::setprecision(2) << 100 * graphed.accuracies.back() << " %\n";
  bool good = report(all_equal(eager.losses, graphed.losses), "every loss equals eager's");
  good &= report(all_equal(state_of(*eager.trainer), state_of(*graphed.trainer)), "every parameter, gradient and momentum equals eager's");
  good &= report(eager.accuracies == graphed.accuracies, "the accuracy after each epoch is eager's");
  good &= report(100 * graphed.stats.replays >= 95 * full, "at least 95 % of the full steps were replayed");
  good &= report(missed == graphed.losses.size() - full,
                 "each smaller batch ran the original method, counted as a miss of the shape of 'images'");
  good &=
      report(100 * graphed.accuracies.back() >= percent_wanted, "the test accuracy is at least " + std::to_string(percent_wanted) + " %");
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const bool comparing = argc > 1 && argv[1] == std::string("--compare");
  const char* const folder = argc > 1 + comparing ? argv[1 + comparing] : "-";
  const bool digits = folder == std::string("-");
  const int epochs = argc > 3 ? std::atoi(argv[3]) : digits ? 30 : 10;
  if ((argc > 2 && !comparing) || epochs < 1) {
    std::cerr << "usage: mnist [folder of the MNIST files], or mnist --compare [folder, or - for the digits [epochs]]\n";
    return 2;
  }
  const torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  const auto data = [&] { return digits ? mnist::read_digits(device) : mnist::read_mnist(folder, device); };
  try {
    if (comparing) {
      ask_for_determinism();
      return compare(data(), epochs, digits ? 95 : 97) ? 0 : 1;
    }
    unsetenv("CUBLAS_WORKSPACE_CONFIG");  // with it, eager's small products are slow
    measure(data());
    std::cout << std::flush;
    execl("/proc/self/exe", argv[0], "--compare", folder, nullptr);  // another process: LibTorch reads that variable once in each
    std::perror("mnist");
  } catch (const std::exception& error) {
    std::cerr << "mnist: " << error.what() << '\n';
  }
  return 1;
}
