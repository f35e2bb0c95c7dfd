// SPDX-License-Identifier: Apache-2.0
//
// Trains one network on several GPUs, a process each, with the average of the gradients inside the graph of a step. `run` starts it.
#include <torch/torch.h>

#include <graphed/annotate.h>
#include <graphed/capture.h>
#include <graphed/optim/sgd.h>
#include <graphed/process_group.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace data_parallel {

namespace nn = torch::nn;
using torch::Tensor;

constexpr int64_t batch_size = 64;                 // of each rank
constexpr int64_t width = 2048, wide_batch = 256;  // of the network with 100 MB of parameters

class Trainer {
 public:
  /// Without a group, gradients are not averaged.
  Trainer(nn::Sequential network, graphed::ProcessGroup* ranks)
      : net(network),
        optimizer(std::make_unique<graphed::optim::SGD>(net->parameters(), graphed::optim::SGDOptions(/*lr=*/0.01).momentum(0.5))),
        group(ranks) {}

  /// A step on this rank's part of a batch. Returns its loss, f32[].
  GRAPHED(images: f32[batch_size, 1, 28, 28], labels: i64[batch_size]; step)
  Tensor classify(const Tensor& images, const Tensor& labels) {
    optimizer->zero_grad();
    const Tensor loss = torch::nll_loss(torch::log_softmax(net->forward(images), /*dim=*/1), labels);
    loss.backward();
    return finish(loss);
  }

  GRAPHED(x: f32[wide_batch, width], y: f32[wide_batch, width]; step)
  Tensor fit(const Tensor& x, const Tensor& y) {
    optimizer->zero_grad();
    const Tensor loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    return finish(loss);
  }

  nn::Sequential net;
  std::unique_ptr<graphed::optim::SGD> optimizer;
  graphed::ProcessGroup* group;

 private:
  Tensor finish(const Tensor& loss) {
    if (group != nullptr) {
      group->average_gradients(*net);
    }
    optimizer->step();
    return loss.detach();
  }
};

}  // namespace data_parallel

#include "main.graphed.h"  // written by graphgen, from this file

namespace {

using data_parallel::Trainer;
using torch::Tensor;
namespace nn = torch::nn;

nn::Sequential small_net(torch::Device device) {
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(1, 10, 5)), nn::Functional(torch::max_pool2d, 2, 2, 0, 1, false), nn::ReLU(),
                     nn::Conv2d(nn::Conv2dOptions(10, 20, 5)), nn::Functional(torch::max_pool2d, 2, 2, 0, 1, false), nn::ReLU(),
                     nn::Flatten(), nn::Linear(320, 50), nn::ReLU(), nn::Linear(50, 10));
  net->to(device);
  return net;
}

nn::Sequential wide_net(torch::Device device) {
  nn::Sequential net;
  for (int layer = 0; layer < 6; ++layer) {
    net->push_back(nn::Linear(data_parallel::width, data_parallel::width));
    net->push_back(nn::ReLU());
  }
  net->to(device);
  return net;
}

struct Part {
  Tensor x, y;
};

/// The part of a rank in a batch of noise: the same numbers in every process.
Part images_of(int step, int rank, torch::Device device) {
  torch::manual_seed(static_cast<uint64_t>(1000 * step + rank));
  return {torch::randn({data_parallel::batch_size, 1, 28, 28}).to(device), torch::randint(10, {data_parallel::batch_size}).to(device)};
}

Part rows_of(int rank, torch::Device device) {
  torch::manual_seed(static_cast<uint64_t>(rank));
  const std::vector<int64_t> shape{data_parallel::wide_batch, data_parallel::width};
  return {torch::randn(shape).to(device), torch::randn(shape).to(device)};
}

void synchronize(torch::Device device) {
  if (device.is_cuda()) {
    torch::cuda::synchronize();
  }
}

/// Milliseconds, after warm-ups.
double time_of(graphed::ProcessGroup& group, const std::function<void()>& action) {
  const int calls = group.device().is_cuda() ? 100 : 20;
  for (int call = 0; call < 10; ++call) {
    action();
  }
  synchronize(group.device());
  group.barrier();
  const auto start = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; ++call) {
    action();
  }
  synchronize(group.device());
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / calls;
}

struct Times {
  double eager, graphed;
};

void print(const graphed::ProcessGroup& group, const std::string& what, const Times& times) {
  if (group.rank() == 0) {
    std::cout << std::fixed << std::setprecision(3) << what << ": eager " << times.eager << " ms a step, graphed " << times.graphed
              << " ms, " << std::setprecision(1) << times.eager / times.graphed << " times as fast\n";
  }
}

void measure_small(graphed::ProcessGroup& group) {
  Trainer eager(small_net(group.device()), &group), graphed(small_net(group.device()), &group);
  group.broadcast(*eager.net);
  group.broadcast(*graphed.net);
  graphed::callable<&Trainer::classify> classify(graphed);
  const Part part = images_of(0, group.rank(), group.device());
  const double time = time_of(group, [&] { eager.classify(part.x, part.y); });
  print(group, "a network of MNIST's size", {time, time_of(group, [&] { classify(part.x, part.y); })});
}

/// The average alone, as a graph.
double time_of_average(graphed::ProcessGroup& group, const Trainer& trainer) {
  graphed::Graph graph(group.device());
  {
    const graphed::CaptureGuard scope(graph);
    group.average_gradients(*trainer.net);
  }
  auto average = graph.instantiate();
  return time_of(group, [&] { average.replay(); });
}

void measure_wide(graphed::ProcessGroup& group) {
  Trainer eager(wide_net(group.device()), &group), graphed(wide_net(group.device()), &group), silent(wide_net(group.device()), nullptr);
  group.broadcast(*eager.net);
  group.broadcast(*graphed.net);
  graphed::callable<&Trainer::fit> fit(graphed), fit_silently(silent);
  const Part part = rows_of(group.rank(), group.device());
  const double time = time_of(group, [&] { eager.fit(part.x, part.y); });
  const Times times{time, time_of(group, [&] { fit(part.x, part.y); })};
  print(group, "a network of 100 MB", times);
  const double without = time_of(group, [&] { fit_silently(part.x, part.y); });
  const double alone = time_of_average(group, eager);
  if (group.rank() == 0) {
    std::cout << std::setprecision(3) << "  the graph without the average " << without << " ms, the average alone " << alone
              << " ms: " << std::setprecision(0) << 100 * (times.graphed - without) / alone
              << " % of it are not hidden behind the backward\n";
  }
}

/// What all ranks do together, done by one process: a + b is b + a, so that two ranks have its bits.
void learn_alone(Trainer& trainer, int step, const graphed::ProcessGroup& group) {
  trainer.optimizer->zero_grad();
  for (int rank = 0; rank < group.size(); ++rank) {
    const Part part = images_of(step, rank, group.device());
    torch::nll_loss(torch::log_softmax(trainer.net->forward(part.x), 1), part.y).backward();
  }
  const torch::NoGradGuard no_grad;
  for (const Tensor& parameter : trainer.net->parameters()) {
    parameter.grad().div_(group.size());
  }
  trainer.optimizer->step();
}

bool report(const graphed::ProcessGroup& group, bool good, const std::string& what) {
  if (group.rank() == 0 || !good) {
    std::cout << (good ? "  yes  " : "  NO   ") << what << '\n';
  }
  return good;
}

bool equal(const Trainer& one, const Trainer& other, bool exactly) {
  const auto left = one.net->parameters(), right = other.net->parameters();
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [&](const Tensor& a, const Tensor& b) {
    return exactly ? torch::equal(a, b) : torch::allclose(a, b, /*rtol=*/1e-4, /*atol=*/1e-6);
  });
}

bool compare(graphed::ProcessGroup& group, int steps) {
  Trainer plain(small_net(group.device()), &group), graphed(small_net(group.device()), &group), alone(small_net(group.device()), nullptr);
  for (const Trainer* const each : {&plain, &graphed, &alone}) {
    torch::manual_seed(7);
    const torch::NoGradGuard no_grad;
    for (Tensor& parameter : each->net->parameters()) {
      parameter.copy_(0.1 * torch::randn(parameter.sizes()));
    }
  }
  graphed::callable<&Trainer::classify> classify(graphed);
  for (int step = 0; step < steps; ++step) {
    const Part part = images_of(step, group.rank(), group.device());
    plain.classify(part.x, part.y);
    classify(part.x, part.y);
    learn_alone(alone, step, group);
  }
  group.check_parameters(*graphed.net);
  const bool is_exact = group.size() <= 2 || group.device().is_cpu();
  bool good = report(group, equal(graphed, plain, true), "every parameter equals eager's, bit for bit");
  good &= report(group, true, "every rank has the same parameters, bit for bit");
  good &=
      report(group, equal(graphed, alone, is_exact),
             std::string("every parameter equals that of one process with the batches of all ranks") + (is_exact ? ", bit for bit" : ""));
  good &= report(group, classify.stats().replays + 3 >= static_cast<uint64_t>(steps), "all steps but the warm-ups were replayed");
  return good;
}

void ask_for_determinism() {
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/1);
  at::globalContext().setDeterministicCuDNN(true);
  at::globalContext().setBenchmarkCuDNN(false);
}

}  // namespace

int main(int argc, char** argv) {
  const bool comparing = argc > 1 && argv[1] == std::string("--compare");
  try {
    if (comparing) {
      ask_for_determinism();
    }
    const char* const here = std::getenv("LOCAL_WORLD_SIZE");  // the ranks of this machine
    const bool has_gpus = torch::cuda::device_count() >= static_cast<size_t>(here == nullptr ? 1 : std::atoi(here));
    auto group = graphed::ProcessGroup::from_environment(has_gpus ? torch::kCUDA : torch::kCPU);
    bool good = true;
    if (comparing) {
      good = compare(group, argc > 2 ? std::atoi(argv[2]) : 200);
    } else {
      if (group.rank() == 0) {
        std::cout << group.size() << " ranks on " << group.device().type() << '\n';
      }
      measure_small(group);
      if (group.device().is_cuda()) {
        measure_wide(group);
      }
    }
    group.shutdown();
    return good ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "data_parallel: " << error.what() << '\n';
    return 1;
  }
}
