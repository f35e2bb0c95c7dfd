// SPDX-License-Identifier: Apache-2.0
//
// Trains a network of encoder layers to say sequences backwards, eager and graphed. The first run takes the time of a step. Another one, in
// a process of its own, compares every bit, and the layer with LibTorch's.
#include <torch/torch.h>

#include <graphed/annotate.h>

#include "encoder.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace attention {

constexpr int64_t batch_size = 64;
constexpr int64_t held_out_sequences = 256;
constexpr int64_t length = 12;
constexpr int64_t vocabulary = 10;
constexpr int64_t width = 32, heads = 4, feedforward = 64, depth = 2;

/// Says for each place of a sequence of tokens which token is there in the sequence backwards.
class NetImpl : public nn::Module {
 public:
  NetImpl() : tokens_(vocabulary, width), head_(width, vocabulary) {
    register_module("tokens", tokens_);
    places_ = register_parameter("places", torch::randn({length, 1, width}));
    for (int64_t i = 0; i < depth; ++i) {
      layers_->push_back(EncoderLayer(width, heads, feedforward, /*dropout=*/0.05));
    }
    register_module("layers", layers_);
    register_module("head", head_);
  }

  /// Scores: f32[batch * length, vocabulary].
  GRAPHED(tokens: i64[held_out_sequences, length])
  Tensor forward(const Tensor& tokens) {
    Tensor x = tokens_(tokens.t()) + places_;
    for (const auto& layer : *layers_) {
      x = layer->as<EncoderLayer>()->forward(x);
    }
    return head_(x.transpose(0, 1)).flatten(0, 1);
  }

  GRAPHED(tokens: i64[batch_size, length], wanted: i64[batch_size, length])
  Tensor loss(const Tensor& tokens, const Tensor& wanted) { return torch::cross_entropy_loss(forward(tokens), wanted.flatten()); }

 private:
  nn::Embedding tokens_;
  Tensor places_;
  nn::ModuleList layers_;
  nn::Linear head_;
};
TORCH_MODULE(Net);

}  // namespace attention

#include "main.graphed.h"  // written by graphgen, from this file

namespace {

using attention::Net;
using torch::Tensor;

constexpr int steps_of_a_round = 50;
constexpr uint64_t warmups = 3;  // what a callable takes by default

struct Run {
  Net net;
  std::vector<double> milliseconds;  // of a step, in each round
  std::vector<Tensor> losses;
  double accuracy = 0;
  graphed::Statistics loss_stats, forward_stats;
};

Tensor random_tokens(int64_t sequences, torch::Device device) {
  return torch::randint(attention::vocabulary, {sequences, attention::length}, torch::kLong).to(device);
}

void synchronize(torch::Device device) {
  if (device.is_cuda()) {
    torch::cuda::synchronize();
  }
}

/// `loss` and `forward` are methods of `net`, or their graphed forms.
template <class Loss, class Forward>
Run train(Net net, Loss&& loss, Forward&& forward, torch::Device device, int rounds) {
  torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(2e-3));
  Run run{net};
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int step = 0; step < steps_of_a_round; ++step) {
      const Tensor tokens = random_tokens(attention::batch_size, device);
      optimizer.zero_grad();
      const Tensor value = loss(tokens, tokens.flip(1));
      value.backward();
      optimizer.step();
      run.losses.push_back(value.detach());
    }
    synchronize(device);
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    run.milliseconds.push_back(elapsed.count() / steps_of_a_round);
  }

  net->eval();
  const torch::NoGradGuard no_grad;
  const Tensor tokens = random_tokens(attention::held_out_sequences, device);
  for (uint64_t call = 0; call <= warmups; ++call) {  // the last one is a replay
    run.accuracy = forward(tokens).argmax(1).eq(tokens.flip(1).flatten()).to(torch::kDouble).mean().template item<double>();
  }
  return run;
}

Net make_net(torch::Device device) {
  torch::manual_seed(1);
  Net net;
  net->to(device);
  return net;
}

Run train_eager(torch::Device device, int rounds) {
  Net net = make_net(device);
  const auto loss = [&](const Tensor& tokens, const Tensor& wanted) { return net->loss(tokens, wanted); };
  const auto forward = [&](const Tensor& tokens) { return net->forward(tokens); };
  return train(net, loss, forward, device, rounds);
}

Run train_graphed(torch::Device device, int rounds) {
  Net net = make_net(device);
  graphed::callable<&attention::NetImpl::loss> loss(net);
  graphed::callable<&attention::NetImpl::forward> forward(net);
  Run run = train(net, loss, forward, device, rounds);
  run.loss_stats = loss.stats();
  run.forward_stats = forward.stats();
  return run;
}

double least(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

void measure(torch::Device device) {
  constexpr int rounds = 3;
  const double eager = least(train_eager(device, rounds).milliseconds);
  const double graphed = least(train_graphed(device, rounds).milliseconds);
  std::cout << std::fixed << std::setprecision(3) << "device " << device << "\neager   " << std::setw(8) << eager << " ms a step\ngraphed "
            << std::setw(8) << graphed << " ms a step, " << std::setprecision(1) << eager / graphed << " times as fast\n\n";
}

/// The same kernels in both runs: those that sum in an order of their own on each call are asked for in their deterministic form.
void ask_for_determinism() {
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/1);
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
  at::globalContext().setDeterministicFillUninitializedMemory(false);
  at::globalContext().setBenchmarkCuDNN(false);
}

bool report(bool good, const std::string& what) {
  std::cout << (good ? "  yes  " : "  NO   ") << what << '\n';
  return good;
}

bool all_equal(const std::vector<Tensor>& left, const std::vector<Tensor>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), torch::equal);
}

/// The result for a random source and mask, then the gradients of the source and of all parameters.
template <class Layer>
std::vector<Tensor> results_of(Layer& layer, torch::Device device) {
  torch::manual_seed(1);
  const Tensor source = torch::randn({9, 5, 16}, device).set_requires_grad(true);
  const Tensor mask = torch::full({9, 9}, -1e9, torch::TensorOptions(device)).triu(1);
  std::vector<Tensor> all{layer->forward(source, mask)};
  all[0].backward(torch::randn_like(all[0]));
  all.push_back(source.grad());
  for (const Tensor& parameter : layer->parameters()) {
    all.push_back(parameter.grad());
    parameter.mutable_grad() = Tensor();
  }
  return all;
}

/// Whether a layer that loads what LibTorch's saved gives the same results, in train mode, with its dropout, and in eval mode.
bool equals_libtorch(torch::Device device) {
  torch::nn::TransformerEncoderLayer theirs(torch::nn::TransformerEncoderLayerOptions(16, 4).dim_feedforward(32).dropout(0.2));
  attention::EncoderLayer ours(16, 4, 32, 0.2);
  theirs->to(device);
  ours->to(device);
  std::stringstream state;
  torch::save(theirs, state);
  torch::load(ours, state, device);
  bool equal = all_equal(results_of(theirs, device), results_of(ours, device));
  theirs->eval();
  ours->eval();
  equal &= all_equal(results_of(theirs, device), results_of(ours, device));
  return equal;
}

bool compare(torch::Device device, int rounds) {
  const bool same_layer = equals_libtorch(device);
  const Run eager = train_eager(device, rounds);
  const Run graphed = train_graphed(device, rounds);
  const uint64_t replays = graphed.losses.size() - warmups;

  std::cout << graphed.losses.size() << " steps, eager and graphed, compared bit for bit\n"
            << graphed.loss_stats << "accuracy on held-out sequences " << std::fixed << std::setprecision(2) << 100 * graphed.accuracy
            << " %\n";
  bool good = report(same_layer, "the layer equals torch::nn::TransformerEncoderLayer");
  good &= report(all_equal(eager.losses, graphed.losses), "every loss equals eager's");
  good &= report(all_equal(eager.net->parameters(), graphed.net->parameters()), "every parameter equals eager's");
  good &= report(eager.accuracy == graphed.accuracy, "the accuracy is eager's");
  good &= report(graphed.accuracy >= 0.95, "the accuracy on held-out sequences is at least 95 %");
  good &=
      report(graphed.loss_stats.replays == replays && graphed.loss_stats.backward_replays == replays && graphed.forward_stats.replays == 1,
             "every call after the warm-ups was a replay, forward and backward");
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const bool comparing = argc > 1 && argv[1] == std::string("--compare");
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 6;
  if ((argc > 1 && !comparing) || rounds < 1) {
    std::cerr << "usage: attention [--compare [rounds of 50 steps]]\n";
    return 2;
  }
  const torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  try {
    if (comparing) {
      ask_for_determinism();
      return compare(device, rounds) ? 0 : 1;
    }
    unsetenv("CUBLAS_WORKSPACE_CONFIG");  // with it, eager's small products are slow
    measure(device);
    std::cout << std::flush;
    execl("/proc/self/exe", argv[0], "--compare", nullptr);  // another process: LibTorch reads that variable once in each
    std::perror("attention");
  } catch (const std::exception& error) {
    std::cerr << "attention: " << error.what() << '\n';
  }
  return 1;
}
