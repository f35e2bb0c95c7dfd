// SPDX-License-Identifier: Apache-2.0
//
// Trains the network twice from one seed, eager and graphed, and compares every loss and parameter bit for bit.
#include "../data/digits.h"
#include "net.graphed.h"

#include <ATen/Context.h>
#include <torch/cuda.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <chrono>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

namespace {

using digits::Dataset;
using digits::Net;
using torch::Tensor;

constexpr uint64_t seed = 1;
constexpr double accuracy_wanted = 0.97;
constexpr double replayed_wanted = 0.90;

struct Run {
  Net net;
  std::vector<Tensor> losses;
  std::vector<double> accuracies;  // after each epoch
  int64_t full_batches = 0;
  double host_seconds = 0;  // issuing the training steps
  double wall_seconds = 0;  // until they were done
};

/// The plain methods and the graphed ones have the same signatures.
struct Eager {
  explicit Eager(Net& net) : net(net) {}
  Tensor loss(const Tensor& images, const Tensor& labels) { return net->loss(images, labels); }
  Tensor forward(const Tensor& images) { return net->forward(images); }
  Net& net;
};

struct Graphed {
  explicit Graphed(Net& net) : loss(net), forward(net) {}
  graphed::callable<&digits::NetImpl::loss> loss;
  graphed::callable<&digits::NetImpl::forward> forward;
};

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void synchronize(torch::Device device) {
  if (device.is_cuda()) {
    torch::cuda::synchronize();
  }
}

void show_progress(const std::string& name, int done, int all, double accuracy) {
  constexpr int width = 30;
  const int filled = width * done / all;
  std::cerr << '\r' << std::setw(8) << std::left << name << '[' << std::string(static_cast<size_t>(filled), '#')
            << std::string(static_cast<size_t>(width - filled), '.') << "] epoch " << done << '/' << all << "  held-out accuracy "
            << std::fixed << std::setprecision(2) << 100 * accuracy << " %" << (done == all ? "\n" : "") << std::flush;
}

template <class Calls>
double evaluate(Calls& calls, Net& net, const Tensor& images, const Tensor& labels) {
  const torch::NoGradGuard no_grad;
  net->eval();
  const Tensor right = calls.forward(images).argmax(1).eq(labels);
  net->train();
  return right.to(torch::kDouble).mean().template item<double>();
}

template <class Calls>
void train(Calls& calls, Run& run, const std::string& name, int epochs, const std::string& data, torch::Device device) {
  Dataset train_part(data, digits::Part::train);
  const Dataset held_out(data, digits::Part::held_out);
  const Tensor test_images = held_out.images().to(device);
  const Tensor test_labels = held_out.labels().to(device);
  auto loader = torch::data::make_data_loader<torch::data::samplers::RandomSampler>(train_part.map(torch::data::transforms::Stack<>()),
                                                                                    digits::batch_size);
  torch::optim::Adam optimizer(run.net->parameters(), torch::optim::AdamOptions(1e-3));
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    const Stopwatch wall;
    double host = 0;
    for (auto& batch : *loader) {
      const Tensor images = batch.data.to(device);
      const Tensor labels = batch.target.to(device);
      const Stopwatch step;
      optimizer.zero_grad();
      Tensor loss = calls.loss(images, labels);
      loss.backward();
      optimizer.step();
      host += step.seconds();
      run.losses.push_back(loss.detach());
      run.full_batches += images.size(0) == digits::batch_size ? 1 : 0;
    }
    synchronize(device);
    run.host_seconds += host;
    run.wall_seconds += wall.seconds();
    run.accuracies.push_back(evaluate(calls, run.net, test_images, test_labels));
    show_progress(name, epoch, epochs, run.accuracies.back());
  }
}

Run make_run(torch::Device device) {
  torch::manual_seed(seed);
  Run run;
  run.net->to(device);
  return run;
}

bool all_equal(const std::vector<Tensor>& left, const std::vector<Tensor>& right) {
  if (left.size() != right.size()) {
    return false;
  }
  for (size_t i = 0; i < left.size(); ++i) {
    if (!torch::equal(left[i], right[i])) {
      return false;
    }
  }
  return true;
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

int compare(const Run& eager, const Run& graphed, const graphed::statistics& stats) {
  const auto steps = static_cast<double>(eager.losses.size());
  const auto milliseconds = [steps](double seconds) { return 1e3 * seconds / steps; };
  const auto full = static_cast<double>(graphed.full_batches);
  const auto ragged = static_cast<uint64_t>(graphed.losses.size()) - static_cast<uint64_t>(graphed.full_batches);
  const double replayed = static_cast<double>(stats.replays) / full;
  const double replayed_back = static_cast<double>(stats.backward_replays) / full;

  std::cout << std::fixed << std::setprecision(3) << "\nNetImpl::loss\n"
            << stats << "\nmilliseconds a step   eager   graphed\n"
            << "  host time          " << std::setw(8) << milliseconds(eager.host_seconds) << std::setw(10)
            << milliseconds(graphed.host_seconds) << "\n  with data, done    " << std::setw(8) << milliseconds(eager.wall_seconds)
            << std::setw(10) << milliseconds(graphed.wall_seconds) << "\n\nfull batches replayed " << std::setprecision(1) << 100 * replayed
            << " % forward, " << 100 * replayed_back << " % backward\nheld-out accuracy " << std::setprecision(2)
            << 100 * graphed.accuracies.back() << " %\n\n";
  bool good = report(all_equal(eager.losses, graphed.losses), "every loss equals eager's, bit for bit");
  good &= report(all_equal(eager.net->parameters(), graphed.net->parameters()), "every parameter equals eager's, bit for bit");
  good &= report(all_equal(eager.net->buffers(), graphed.net->buffers()), "every running statistic equals eager's, bit for bit");
  good &= report(eager.accuracies == graphed.accuracies, "the accuracy after each epoch is eager's");
  good &= report(graphed.accuracies.back() >= accuracy_wanted, "the accuracy on held-out images is at least 97 %");
  good &= report(replayed >= replayed_wanted && replayed_back >= replayed_wanted, "at least 90 % of the full batches were replayed");
  const auto shape_misses = stats.misses_by_parameter.find("images: shape");
  good &= report(shape_misses != stats.misses_by_parameter.end() && shape_misses->second == ragged,
                 "each ragged batch ran the plain callable, counted as a miss of the shape of 'images'");
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string data = argc > 1 ? argv[1] : DIGITS_DATA;
  const int epochs = argc > 2 ? std::atoi(argv[2]) : 20;
  if (epochs < 1) {
    std::cerr << "usage: digits [digits.csv.gz [epochs]]\n";
    return 2;
  }
  ask_for_determinism();
  const torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  std::cout << "device " << device << ", " << epochs << " epochs\n";
  try {
    Run eager = make_run(device);
    Eager plain(eager.net);
    train(plain, eager, "eager", epochs, data, device);
    Run replayed = make_run(device);
    Graphed graphed(replayed.net);
    train(graphed, replayed, "graphed", epochs, data, device);
    return compare(eager, replayed, graphed.loss.stats());
  } catch (const std::exception& error) {
    std::cerr << "digits: " << error.what() << '\n';
    return 1;
  }
}
