// SPDX-License-Identifier: Apache-2.0
//
// Trains a convolutional network on handwritten digits, eager and graphed. The first run takes the time of a step. Another one, in a
// process of its own, compares every bit.
#include <torch/torch.h>

#include <graphed/annotate.h>

#include "../data/digits.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

namespace digits {

namespace nn = torch::nn;
using torch::Tensor;

constexpr int64_t batch_size = 64;
constexpr int64_t held_out_images = 300;

class NetImpl : public nn::Module {
 public:
  NetImpl()
      : layers_(nn::Conv2d(nn::Conv2dOptions(1, 32, 3).padding(1).bias(false)), nn::BatchNorm2d(32), nn::ReLU(),
                nn::Conv2d(nn::Conv2dOptions(32, 64, 3).stride(2).padding(1).bias(false)), nn::BatchNorm2d(64), nn::ReLU(), nn::Flatten(),
                nn::Dropout(0.25), nn::Linear(64 * 4 * 4, 64), nn::ReLU(), nn::Linear(64, 10)) {
    register_module("layers", layers_);
  }

  GRAPHED(images: f32[held_out_images, 1, 8, 8])
  Tensor forward(const Tensor& images) { return layers_->forward(images); }

  GRAPHED(images: f32[batch_size, 1, 8, 8], labels: i64[batch_size])
  Tensor loss(const Tensor& images, const Tensor& labels) { return nn::functional::cross_entropy(forward(images), labels); }

 private:
  nn::Sequential layers_;
};
TORCH_MODULE(Net);

}  // namespace digits

#include "main.graphed.h"  // written by graphgen, from this file

namespace {

using digits::Data;
using digits::Net;
using torch::Tensor;

struct Run {
  Net net;
  std::vector<double> milliseconds;  // of a step, in each epoch
  std::vector<double> accuracies;    // after each epoch
  std::vector<Tensor> losses;
  graphed::Statistics stats;
};

void synchronize(torch::Device device) {
  if (device.is_cuda()) {
    torch::cuda::synchronize();
  }
}

/// `loss` and `forward` are methods of `net`, or their graphed forms.
template <class Loss, class Forward>
Run train(Net net, Loss&& loss, Forward&& forward, const Data& data, int epochs) {
  const torch::Device device = data.train.images.device();
  torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(1e-3));
  Run run{net};
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const Tensor order = torch::randperm(data.train.labels.size(0)).to(device);
    const auto images = data.train.images.index_select(0, order).split(digits::batch_size);  // the last batch is smaller
    const auto labels = data.train.labels.index_select(0, order).split(digits::batch_size);
    synchronize(device);
    const auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < images.size(); ++i) {
      optimizer.zero_grad();
      const Tensor value = loss(images[i], labels[i]);
      value.backward();
      optimizer.step();
      run.losses.push_back(value.detach());
    }
    synchronize(device);
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    run.milliseconds.push_back(elapsed.count() / static_cast<double>(images.size()));

    const torch::NoGradGuard no_grad;
    net->eval();
    run.accuracies.push_back(
        forward(data.held_out.images).argmax(1).eq(data.held_out.labels).to(torch::kDouble).mean().template item<double>());
    net->train();
  }
  return run;
}

Net make_net(const Data& data) {
  torch::manual_seed(1);
  Net net;
  net->to(data.train.images.device());
  return net;
}

Run train_eager(const Data& data, int epochs) {
  Net net = make_net(data);
  const auto loss = [&](const Tensor& images, const Tensor& labels) { return net->loss(images, labels); };
  const auto forward = [&](const Tensor& images) { return net->forward(images); };
  return train(net, loss, forward, data, epochs);
}

Run train_graphed(const Data& data, int epochs) {
  Net net = make_net(data);
  graphed::callable<&digits::NetImpl::loss> loss(net);
  graphed::callable<&digits::NetImpl::forward> forward(net);
  Run run = train(net, loss, forward, data, epochs);
  run.stats = loss.stats();
  return run;
}

double least(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

void measure(const Data& data) {
  constexpr int epochs = 5;
  const double eager = least(train_eager(data, epochs).milliseconds);
  const double graphed = least(train_graphed(data, epochs).milliseconds);
  std::cout << std::fixed << "device " << data.train.images.device() << '\n'
            << std::setprecision(3) << "eager   " << std::setw(8) << eager << " ms a step\ngraphed " << std::setw(8) << graphed
            << " ms a step, " << std::setprecision(1) << eager / graphed << " times as fast\n\n";
}

/// The same kernels in both runs: those that sum in an order of their own on each call are asked for in their deterministic form.
void ask_for_determinism() {
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/1);
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
  at::globalContext().setDeterministicFillUninitializedMemory(false);
  at::globalContext().setDeterministicCuDNN(true);
  at::globalContext().setBenchmarkCuDNN(false);
}

bool report(bool good, const std::string& what) {
  std::cout << (good ? "  yes  " : "  NO   ") << what << '\n';
  return good;
}

bool all_equal(const std::vector<Tensor>& left, const std::vector<Tensor>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), torch::equal);
}

bool compare(const Data& data, int epochs) {
  const Run eager = train_eager(data, epochs);
  const Run graphed = train_graphed(data, epochs);
  const graphed::Statistics& stats = graphed.stats;
  const auto full = static_cast<uint64_t>(data.train.labels.size(0) / digits::batch_size * epochs);
  const uint64_t ragged = graphed.losses.size() - full;
  const auto shape_misses = stats.misses_by_parameter.find("images: shape");

  std::cout << epochs << " epochs, eager and graphed, compared bit for bit\n"
            << stats << "held-out accuracy " << std::fixed << std::setprecision(2) << 100 * graphed.accuracies.back() << " %\n";
  bool good = report(all_equal(eager.losses, graphed.losses), "every loss equals eager's");
  good &= report(all_equal(eager.net->parameters(), graphed.net->parameters()), "every parameter equals eager's");
  good &= report(all_equal(eager.net->buffers(), graphed.net->buffers()), "every running statistic equals eager's");
  good &= report(eager.accuracies == graphed.accuracies, "the accuracy after each epoch is eager's");
  good &= report(graphed.accuracies.back() >= 0.97, "the accuracy on held-out images is at least 97 %");
  good &= report(10 * stats.replays >= 9 * full && 10 * stats.backward_replays >= 9 * full,
                 "at least 90 % of the full batches were replayed, forward and backward");
  good &= report(shape_misses != stats.misses_by_parameter.end() && shape_misses->second == ragged,
                 "each smaller batch ran the original method, counted as a miss of the shape of 'images'");
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const bool comparing = argc > 1 && argv[1] == std::string("--compare");
  const int epochs = argc > 2 ? std::atoi(argv[2]) : 20;
  if ((argc > 1 && !comparing) || epochs < 1) {
    std::cerr << "usage: digits [--compare [epochs]]\n";
    return 2;
  }
  const torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  try {
    if (comparing) {
      ask_for_determinism();
      return compare(digits::read(device), epochs) ? 0 : 1;
    }
    unsetenv("CUBLAS_WORKSPACE_CONFIG");  // with it, eager's small products are slow
    measure(digits::read(device));
    std::cout << std::flush;
    execl("/proc/self/exe", argv[0], "--compare", nullptr);  // another process: LibTorch reads that variable once in each
    std::perror("digits");
  } catch (const std::exception& error) {
    std::cerr << "digits: " << error.what() << '\n';
  }
  return 1;
}
