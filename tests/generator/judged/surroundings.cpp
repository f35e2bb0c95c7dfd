// SPDX-License-Identifier: Apache-2.0
//
// What is outside a call: random numbers, modes, clocks, input, other threads and devices.
#include "judge.h"

#include <graphed/annotate.h>

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/cuda.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <future>
#include <iostream>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace surroundings {

using namespace judged;

struct RandomOfTheDevice : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x + torch::randn_like(x) + torch::rand({4}, x.options()) + torch::bernoulli(x.sigmoid()); }
};

struct Dropout : torch::nn::Module, Program {
  Dropout() { register_module("dropout", dropout); }
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return dropout(x); }
  torch::nn::Dropout dropout{0.5};
};

struct RandomOfTheHost : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * (std::rand() % 100); }
};

struct RandomOfAnEngine : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * std::uniform_real_distribution<double>(0, 1)(engine); }
  std::mt19937 engine{7};
};

struct RandomOfAnEngineOfTheCall : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    std::mt19937 engine(7);
    return x * static_cast<double>(engine() % 100);
  }
};

struct Shuffled : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    std::vector<int64_t> order{0, 1, 2, 3};
    std::shuffle(order.begin(), order.end(), engine);
    return x[order[0]] + x;
  }
  std::mt19937 engine{7};
};

struct RandomOfItsOwnGenerator : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x + at::rand({4}, own); }
  at::Generator own = at::detail::createCPUGenerator(3);
};

struct Seeded : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    torch::manual_seed(3);
    return x + torch::rand({4}, x.options());
  }
};

struct GeneratorSeeded : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    own.set_current_seed(3);
    return x + at::rand({4}, own);
  }
  at::Generator own = at::detail::createCPUGenerator(1);
};

struct Clock : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * static_cast<double>(std::time(nullptr)); }
};

struct ClockReadOnce : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    static const auto begin = std::chrono::steady_clock::now();
    return x * (begin.time_since_epoch().count() > 0 ? 2 : 1);
  }
};

struct Environment : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * std::atoi(std::getenv("JUDGED_CALL")); }
};

struct EnvironmentReadOnce : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    static const bool is_set = std::getenv("JUDGED_CALL") != nullptr;
    return is_set ? x * 2 : x;
  }
};

struct Input : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    int read = 0;
    std::cin >> read;
    return x * read;
  }
};

struct GradModeLeft : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    torch::GradMode::set_enabled(false);
    return x * 2;
  }
};

struct GradModeGuarded : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const torch::NoGradGuard no_grad;
    const torch::AutoGradMode mode(true);
    return x * 2;
  }
};

struct DefaultTypeLeft : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    torch::set_default_dtype(caffe2::TypeMeta::Make<double>());
    return x + torch::ones({4});
  }
};

struct AutocastLeft : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    at::autocast::set_autocast_enabled(at::kCPU, true);
    return x * 2;
  }
};

struct DeterminismLeft : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    at::globalContext().setDeterministicAlgorithms(true, false);
    return x * 2;
  }
};

struct ThreadsLeft : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    torch::set_num_threads(2);
    return x * 2;
  }
};

struct ModeOfAModuleLeft : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    dropout->eval();
    return dropout(x) * 2;
  }
  void between(int) override { dropout->train(); }
  Tensors state() const override { return {number(dropout->is_training())}; }
  torch::nn::Dropout dropout{0.5};
};

struct ModeOfAModuleSetBack : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    dropout->eval();
    const Tensor y = dropout(x) * 2;
    dropout->train();
    return y;
  }
  Tensors state() const override { return {number(dropout->is_training())}; }
  torch::nn::Dropout dropout{0.5};
};

struct WorkOfAThread : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensor y = torch::zeros_like(x);
    std::thread([&] { y.copy_(x); }).join();
    return y + 1;
  }
};

struct WorkOfAFuture : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    auto made = std::async(std::launch::async, [&] { return x * 2; });
    return made.get() + 1;
  }
};

struct WorkThatIsDeferred : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    auto made = std::async(std::launch::deferred, [&] { return x * 2; });
    return made.get() + 1;
  }
};

struct ParallelLoop : Program {
  static constexpr const char* harmless_on_a_tape = "compiled without OpenMP, the loop of LibTorch's header runs on the calling thread";
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    Tensor y = torch::zeros_like(x);
    at::parallel_for(0, 4, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        y[i].copy_(x[i] * 2);
      }
    });
    return y + 1;
  }
};

struct Locked : Program {
  static constexpr const char* harmless_on_a_tape = "no other thread wants the lock";
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const std::lock_guard<std::mutex> lock(mutex);
    return x * 2;
  }
  std::mutex mutex;
};

struct SynchronizedOnAGpu : Program {
  static constexpr const char* harmless_on_a_tape = "on a CPU there is nothing to wait for";
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    if (x.is_cuda()) {
      torch::cuda::synchronize();
    }
    return x * 2;
  }
};

struct ConstantOfTheHost : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * torch::arange(4, torch::kFloat).to(x.device()); }
};

struct ReadFromTheHost : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    std::vector<float> values{1, 2, 3, 4};
    return x * torch::from_blob(values.data(), {4}).to(x.device());
  }
};

struct MadeOnTheDevice : Program {
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * torch::arange(4, x.options()); }
};

struct MadeOnTheCpu : Program {
  static constexpr const char* harmless_on_a_tape = "the arguments lie on the CPU, too";
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) { return x * torch::ones({4}, torch::kCPU); }
};

struct MadeWithoutADevice : Program {
  static constexpr const char* not_found = "a tensor without memory is nothing that a GPU's graph leaves out";
  GRAPHED(x: f32[4])
  Tensor call(const Tensor& x) {
    const Tensor other = torch::empty({3, 4}, torch::kMeta);
    return x + other.matmul(other.t()).size(0);
  }
};

}  // namespace surroundings

#include "surroundings.graphed.h"

void judge_surroundings() {
  using namespace surroundings;
  judged::judge<&RandomOfTheDevice::call, &Dropout::call, &RandomOfTheHost::call, &RandomOfAnEngine::call, &RandomOfAnEngineOfTheCall::call,
                &Shuffled::call, &RandomOfItsOwnGenerator::call, &Seeded::call, &GeneratorSeeded::call, &Clock::call, &ClockReadOnce::call,
                &Environment::call, &EnvironmentReadOnce::call, &Input::call, &GradModeLeft::call, &GradModeGuarded::call,
                &DefaultTypeLeft::call, &AutocastLeft::call, &DeterminismLeft::call, &ThreadsLeft::call, &ModeOfAModuleLeft::call,
                &ModeOfAModuleSetBack::call, &WorkOfAThread::call, &WorkOfAFuture::call, &WorkThatIsDeferred::call, &ParallelLoop::call,
                &Locked::call, &SynchronizedOnAGpu::call, &ConstantOfTheHost::call, &ReadFromTheHost::call, &MadeOnTheDevice::call,
                &MadeOnTheCpu::call, &MadeWithoutADevice::call>();
}
