// SPDX-License-Identifier: Apache-2.0
//
// Trains the network from one seed: eager and graphed with graphed::optim::SGD, comparing every bit, and eager with torch::optim::SGD,
// comparing the time of a step.
#include "data.h"
#include "trainer.graphed.h"

#include <graphed/optim/sgd.h>

#include <ATen/Context.h>
#include <torch/cuda.h>
#include <torch/optim/sgd.h>
#include <torch/utils.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

namespace {

using mnist::batch_size;
using mnist::Data;
using mnist::Trainer;
using torch::Tensor;

constexpr uint64_t seed = 1;
constexpr double replayed_wanted = 0.95;

struct Run {
  std::vector<Tensor> losses;
  std::vector<double> accuracies;    // after each epoch
  std::vector<double> milliseconds;  // of a full step, in each epoch
  int64_t full_steps = 0;
};

void synchronize(torch::Device device) {
  if (device.is_cuda()) {
    torch::cuda::synchronize();
  }
}

void show_progress(const std::string& name, int done, int all, double accuracy) {
  constexpr int width = 30;
  const int filled = width * done / all;
  std::cerr << '\r' << std::setw(13) << std::left << name << '[' << std::string(static_cast<size_t>(filled), '#')
            << std::string(static_cast<size_t>(width - filled), '.') << "] epoch " << done << '/' << all << "  test accuracy " << std::fixed
            << std::setprecision(2) << 100 * accuracy << " %" << (done == all ? "\n" : "") << std::flush;
}

double accuracy_of(const Trainer& trainer, const mnist::Part& test) {
  const torch::NoGradGuard no_grad;
  mnist::Net net = trainer.net();
  net->eval();
  const Tensor right = net(test.images).argmax(1).eq(test.labels);
  net->train();
  return right.to(torch::kDouble).mean().item<double>();
}

/// `learn` is the trainer's, plain or graphed. The batches of an epoch are gathered ahead: what is measured are the steps.
template <class Learn>
void run_epoch(Learn&& learn, Run& run, const mnist::Part& train) {
  const torch::Device device = train.images.device();
  const Tensor order = torch::randperm(train.labels.size(0)).to(device);
  const auto images = train.images.index_select(0, order).split(batch_size);
  const auto labels = train.labels.index_select(0, order).split(batch_size);
  const auto full = static_cast<size_t>(train.labels.size(0) / batch_size);
  synchronize(device);
  const auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < full; ++i) {
    run.losses.push_back(learn(images[i], labels[i]));
  }
  synchronize(device);
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  run.milliseconds.push_back(elapsed.count() / static_cast<double>(full));
  run.full_steps += static_cast<int64_t>(full);
  for (size_t i = full; i < images.size(); ++i) {  // the rest, which is no full batch
    run.losses.push_back(learn(images[i], labels[i]));
  }
}

template <class Learn>
Run train(const std::string& name, Learn&& learn, const Trainer& trainer, const Data& data, int epochs) {
  Run run;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    run_epoch(learn, run, data.train);
    run.accuracies.push_back(accuracy_of(trainer, data.test));
    show_progress(name, epoch, epochs, run.accuracies.back());
  }
  return run;
}

/// From one seed, as the random numbers of the training after it.
template <class SGD, class SGDOptions>
Trainer make_trainer(torch::Device device) {
  torch::manual_seed(seed);
  mnist::Net net;
  net->to(device);
  return {net, std::make_unique<SGD>(net->parameters(), SGDOptions(/*lr=*/0.01).momentum(0.5))};
}

Trainer make_trainer(torch::Device device) { return make_trainer<graphed::optim::SGD, graphed::optim::SGDOptions>(device); }

/// Parameters, their gradients and their momentum.
std::vector<Tensor> state_of(const Trainer& trainer) {
  std::vector<Tensor> all;
  for (const Tensor& parameter : trainer.net()->parameters()) {
    auto& state = *trainer.optimizer().state().at(parameter.unsafeGetTensorImpl());
    all.insert(all.end(), {parameter, parameter.grad(), static_cast<graphed::optim::SGDParamState&>(state).momentum_buffer()});
  }
  return all;
}

bool all_equal(const std::vector<Tensor>& left, const std::vector<Tensor>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Tensor& a, const Tensor& b) { return torch::equal(a, b); });
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool report(bool good, const std::string& what) {
  std::cout << (good ? "  yes  " : "  NO   ") << what << '\n';
  return good;
}

void print_times(const Run& eager, const Run& graphed, const Run& torchs) {
  const double ours = median(graphed.milliseconds), plain = median(eager.milliseconds), theirs = median(torchs.milliseconds);
  std::cout << std::fixed << std::setprecision(3) << "\nmilliseconds a full step, median of the epochs\n  eager, torch::optim::SGD    "
            << std::setw(8) << std::right << theirs << "\n  eager, graphed::optim::SGD  " << std::setw(8) << plain
            << "\n  graphed                     " << std::setw(8) << ours << std::setprecision(2) << "\ngraphed is " << theirs / ours
            << " times as fast as eager with torch::optim::SGD\n";
}

int compare(const Run& eager, const Run& graphed, bool same_state, const graphed::statistics& stats, double accuracy_wanted) {
  const double replayed = static_cast<double>(stats.replays) / static_cast<double>(graphed.full_steps);
  const auto ragged = graphed.losses.size() - static_cast<size_t>(graphed.full_steps);
  const auto misses = stats.misses_by_parameter.find("images: shape");
  const auto missed = misses == stats.misses_by_parameter.end() ? 0 : misses->second;
  std::cout << std::setprecision(1) << "full steps replayed " << 100 * replayed << " %\ntest accuracy " << std::setprecision(2)
            << 100 * graphed.accuracies.back() << " %\n\n";
  bool good = report(all_equal(eager.losses, graphed.losses), "every loss equals eager's, bit for bit");
  good &= report(same_state, "every parameter, gradient and momentum equals eager's, bit for bit");
  good &= report(eager.accuracies == graphed.accuracies, "the accuracy after each epoch is eager's");
  good &= report(replayed >= replayed_wanted, "at least 95 % of the full steps were replayed");
  good &= report(missed == ragged, "each ragged batch was a plain step, counted as a miss of the shape of 'images'");
  good &= report(graphed.accuracies.back() >= accuracy_wanted,
                 "the test accuracy is at least " + std::to_string(std::lround(100 * accuracy_wanted)) + " %");
  return good ? 0 : 1;
}

/// cuDNN has backward convolutions that sum in another order on each call, and cuBLAS chooses by the free workspace.
void ask_for_determinism() {
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/1);
  at::globalContext().setDeterministicCuDNN(true);
  at::globalContext().setBenchmarkCuDNN(false);
}

Data to(const Data& data, torch::Device device) {
  const auto moved = [device](const mnist::Part& part) { return mnist::Part{part.images.to(device), part.labels.to(device)}; };
  return {moved(data.train), moved(data.test)};
}

int run(const Data& data, torch::Device device, int epochs, double accuracy_wanted) {
  Trainer plain = make_trainer(device);
  const auto learn = [](Trainer& trainer) {
    return [&trainer](const Tensor& images, const Tensor& labels) { return trainer.learn(images, labels); };
  };
  const Run eager = train("eager", learn(plain), plain, data, epochs);

  Trainer trainer = make_trainer(device);
  graphed::callable<&Trainer::learn> fast(trainer);
  const Run graphed = train("graphed", fast, trainer, data, epochs);

  Trainer peer = make_trainer<torch::optim::SGD, torch::optim::SGDOptions>(device);
  const Run torchs = train("torch::optim", learn(peer), peer, data, epochs);

  std::cout << "\nTrainer::learn\n" << fast.stats() << '\n';
  print_times(eager, graphed, torchs);
  return compare(eager, graphed, all_equal(state_of(plain), state_of(trainer)), fast.stats(), accuracy_wanted);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "";
  const bool digits = folder.empty() || folder == "-";
  const int epochs = argc > 2 ? std::atoi(argv[2]) : digits ? 40 : 10;
  if (epochs < 1) {
    std::cerr << "usage: mnist [folder of the MNIST files, or - for the digits [epochs]]\n";
    return 2;
  }
  ask_for_determinism();
  const torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  try {
    const Data data = to(digits ? mnist::read_digits(MNIST_DIGITS) : mnist::read_mnist(folder), device);
    std::cout << "device " << device << ", " << data.train.labels.size(0) << " images of " << (digits ? "the UCI digits" : folder) << ", "
              << epochs << " epochs\n";
    return run(data, device, epochs, digits ? 0.95 : 0.97);
  } catch (const c10::Error& error) {
    std::cerr << "mnist: " << error.what_without_backtrace() << '\n';
    return 1;
  } catch (const std::exception& error) {
    std::cerr << "mnist: " << error.what() << '\n';
    return 1;
  }
}
