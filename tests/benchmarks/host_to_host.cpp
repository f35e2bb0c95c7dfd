// SPDX-License-Identifier: Apache-2.0
//
// A call from the memory of the host to the memory of the host: a policy at batch 1.
//
// - `host_to_host [DEVICE] [ROUNDS]` measures each way to make it, in turns, and prints a line of JSON. `host-to-host` runs it.
// - `host_to_host soak DEVICE CALLS` makes so many calls, several in flight at a time, and compares each action with eager's.
//
// DEVICE is cpu or cuda; by default cuda where there is one.
#include "capture.h"
#include "host_to_host.graphed.h"

#include <ATen/ATen.h>
#include <torch/cuda.h>

#if defined(BENCHMARKS_WITH_CUDA)
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#endif

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace benchmarks {

HostPolicy::HostPolicy() {
  register_module("first", first_);
  register_module("second", second_);
  register_module("last", last_);
}

at::Tensor HostPolicy::forward(const at::Tensor& obs) {
  return last_->forward(second_->forward(first_->forward(obs).relu()).relu()).tanh();
}

at::Tensor HostPolicy::act(const at::Tensor& obs) { return forward(obs); }

namespace {

using at::Tensor;
using clock = std::chrono::steady_clock;

constexpr std::size_t observations = 64;

/// One way to make a call. What it gives may be overwritten by the next one.
struct way {
  std::string name;
  std::function<Tensor(const Tensor&)> call;
  std::vector<double> microseconds{};
};

void wait_for(c10::Device device) {
#if defined(BENCHMARKS_WITH_CUDA)
  if (device.is_cuda()) {
    C10_CUDA_CHECK(cudaStreamSynchronize(c10::cuda::getCurrentCUDAStream(device.index())));
  }
#endif
}

std::vector<Tensor> draw_observations() {
  std::vector<Tensor> drawn;
  for (std::size_t i = 0; i < observations; ++i) {
    drawn.push_back(at::randn({1, 84}));
  }
  return drawn;
}

/// Static tensors around a graph that was captured by hand.
struct by_hand {
  by_hand(const std::shared_ptr<HostPolicy>& policy, c10::Device device)
      : in(at::zeros({1, 84}, at::TensorOptions(device))),
        pinned_in(at::zeros({1, 84}, at::TensorOptions().pinned_memory(device.is_cuda()))),
        pinned_out(at::zeros({1, 6}, at::TensorOptions().pinned_memory(device.is_cuda()))) {
    policy->forward(in);
    replay = capture_by_hand(device, {[this, policy] { out = policy->forward(in); }}).front();
  }
  Tensor in, out, pinned_in, pinned_out;
  procedure replay;
};

struct graphed_policy {
  explicit graphed_policy(const std::shared_ptr<HostPolicy>& policy) : on_device(policy), on_host(policy) {}

  /// Whether no call ran the original function, but the warm-ups.
  bool has_replayed_all() const { return on_device.stats().miss_count() + on_host.stats().miss_count() == 0; }

  graphed::callable<&HostPolicy::forward> on_device;
  graphed::callable<&HostPolicy::act> on_host;
};

std::vector<way> all_ways(const std::shared_ptr<HostPolicy>& policy, const std::shared_ptr<graphed_policy>& fast, c10::Device device) {
  const auto hand = std::make_shared<by_hand>(policy, device);
  const auto floor = capture_bare(device, {[hand, policy] { policy->forward(hand->in); }});
  return {{"launch-and-synchronize", [=](const Tensor&) { return floor(), wait_for(device), Tensor(); }},
          {"eager", [=](const Tensor& obs) { return policy->forward(obs.to(device)).cpu(); }},
          {"handwritten", [=](const Tensor& obs) { return hand->in.copy_(obs), hand->replay(), hand->out.cpu(); }},
          {"handwritten-pinned",
           [=](const Tensor& obs) {
             hand->pinned_in.copy_(obs);
             hand->in.copy_(hand->pinned_in, /*non_blocking=*/true);
             hand->replay();
             hand->pinned_out.copy_(hand->out, /*non_blocking=*/true);
             wait_for(device);
             return hand->pinned_out.clone();
           }},
          {"graphed-with-copies", [=](const Tensor& obs) { return fast->on_device(obs.to(device)).cpu(); }},
          {"graphed", [=](const Tensor& obs) { return fast->on_host(obs); }}};
}

/// Keeps the calling thread on its core: on another one it would find empty caches. Threads that it has begun before go where they like.
class on_one_core {
 public:
  on_one_core() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(std::max(sched_getcpu(), 0)), &one);
    is_kept_ = sched_getaffinity(0, sizeof before_, &before_) == 0 && sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~on_one_core() {
    if (is_kept_) {
      sched_setaffinity(0, sizeof before_, &before_);
    }
  }
  on_one_core& operator=(on_one_core&&) = delete;

 private:
  cpu_set_t before_{};
  bool is_kept_ = false;
};

/// Each call by itself: its action is there before the next begins. That the action is dropped is not timed.
void measure(std::vector<way>& ways, int rounds) {
  constexpr int unmeasured = 30, measured = 300;
  const on_one_core pinned;
  const auto given = draw_observations();
  std::mt19937 order(1);
  std::vector<way*> turns;
  for (way& each : ways) {
    turns.push_back(&each);
  }
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(turns.begin(), turns.end(), order);
    for (way* const each : turns) {
      for (int call = -unmeasured; call < measured; ++call) {
        const auto start = clock::now();
        const Tensor action = each->call(given[static_cast<std::size_t>(call + unmeasured) % observations]);
        const std::chrono::duration<double, std::micro> elapsed = clock::now() - start;
        if (call >= 0) {
          each->microseconds.push_back(elapsed.count());
        }
      }
    }
  }
}

double quantile(std::vector<double>& sorted, double part) {
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

void print(std::vector<way>& ways) {
  std::cout << "{\"workload\": \"policy 84-256-256-6, batch 1, host to host\", \"microseconds\": {";
  for (std::size_t i = 0; i < ways.size(); ++i) {
    auto& samples = ways[i].microseconds;
    std::sort(samples.begin(), samples.end());
    std::cout << (i == 0 ? "" : ", ") << '"' << ways[i].name << "\": {\"p50\": " << quantile(samples, 0.5)
              << ", \"p99\": " << quantile(samples, 0.99) << ", \"p999\": " << quantile(samples, 0.999) << ", \"calls\": " << samples.size()
              << '}';
  }
  std::cout << "}}" << std::endl;
}

int measure_all(c10::Device device, int rounds) {
  const auto policy = std::make_shared<HostPolicy>();
  policy->to(device);
  const auto fast = std::make_shared<graphed_policy>(policy);
  auto ways = all_ways(policy, fast, device);
  const auto given = draw_observations();
  for (const Tensor& obs : given) {
    const Tensor expected = policy->forward(obs.to(device)).cpu();
    for (const way& each : ways) {
      const Tensor action = each.call(obs);
      if (action.defined() && !at::allclose(action, expected)) {
        std::cerr << "host_to_host: " << each.name << " gives another action\n";
        return 1;
      }
    }
  }
  measure(ways, rounds);
  if (!fast->has_replayed_all()) {
    std::cerr << "host_to_host: some calls ran the original function\n";
    return 1;
  }
  print(ways);
  return 0;
}

/// An action that is on its way, and which one it is.
struct awaited {
  graphed::future<Tensor> coming;
  std::size_t of;
};

int soak(c10::Device device, int calls) {
  const auto policy = std::make_shared<HostPolicy>();
  policy->to(device);
  graphed::callable<&HostPolicy::act> fast(policy);
  const auto given = draw_observations();
  std::vector<Tensor> expected;
  for (const Tensor& obs : given) {
    expected.push_back(policy->forward(obs.to(device)).cpu());
  }
  std::mt19937 random(7);
  std::deque<awaited> in_flight;
  int compared = 0, different = 0;
  const auto compare = [&] {
    different += at::equal(in_flight.front().coming.get(), expected[in_flight.front().of]) ? 0 : 1;
    ++compared;
    in_flight.pop_front();
  };
  Tensor buffer = at::empty({1, 84});
  for (int call = 0; call < calls; ++call) {
    const std::size_t of = random() % observations;
    buffer.copy_(given[of]);
    in_flight.push_back({fast.async(buffer), of});
    buffer.fill_(-1);  // at once: the call has copied it
    for (std::size_t most = random() % 8; in_flight.size() > most;) {
      compare();
    }
  }
  while (!in_flight.empty()) {
    compare();
  }
  std::cout << compared << " actions compared with eager's, " << different << " differ; " << fast.stats().replays << " replays\n";
  return different == 0 && fast.stats().miss_count() == 0 ? 0 : 1;
}

int run(const std::vector<std::string>& words) {
  const bool soaks = !words.empty() && words[0] == "soak";
  const std::size_t first = soaks ? 1 : 0;
  const std::string name = words.size() > first ? words[first] : torch::cuda::is_available() ? "cuda" : "cpu";
  const int number = words.size() > first + 1 ? std::atoi(words[first + 1].c_str()) : soaks ? 100000 : 30;
  if ((name != "cpu" && name != "cuda") || number < 1) {
    std::cerr << "usage: host_to_host [cpu|cuda] [ROUNDS], or host_to_host soak [cpu|cuda] [CALLS]\n";
    return 2;
  }
  const c10::Device device = name == "cpu" ? c10::Device(c10::kCPU) : c10::Device(c10::kCUDA, 0);
  const c10::NoGradGuard no_history;
  return soaks ? soak(device, number) : measure_all(device, number);
}

}  // namespace
}  // namespace benchmarks

int main(int argc, char** argv) {
  try {
    return benchmarks::run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    std::cerr << "host_to_host: " << error.what() << '\n';
    return 1;
  }
}
