// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include "timing.h"

#include <ATen/core/grad_mode.h>
#include <torch/utils.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>

namespace benchmarks {
namespace {

constexpr uint64_t seed = 1;
constexpr int units_until_peaks = 30;
constexpr int fewest_rounds = 5;

workload make_workload(const entry& entry, const std::string& peer, c10::Device device) {
  torch::manual_seed(seed);
  return entry.make(device, optimizers_of(peer));
}

std::unique_ptr<peer> make_ready(const std::string& name, unit kind, const workload& workload) {
  auto made = make_peer(name, kind, workload);
  made->prepare();
  return made;
}

/// Loads the kernels and libraries that a workload needs.
void load_libraries(const entry& entry, c10::Device device) {
  static std::set<std::string> loaded;
  if (!loaded.insert(entry.name).second) {
    return;
  }
  const workload workload = make_workload(entry, "plain", device);
  make_ready("plain", entry.kind, workload);
}

/// A peer, ready to be timed, with what it needs.
class contender {
 public:
  contender(const entry& entry, const std::string& name, c10::Device device)
      : workload_(make_workload(entry, name, device)), peer_(make_ready(name, entry.kind, workload_)), timer_(*peer_, device) {}

  void time_host() { times_.host.push_back(timer_.host()); }
  void time_wall() { times_.wall.push_back(timer_.wall()); }
  void time_gpu() { times_.gpu.push_back(timer_.gpu()); }
  const timings& times() const { return times_; }

 private:
  const workload workload_;
  const std::unique_ptr<peer> peer_;
  timer timer_;
  timings times_;
};

using contenders = std::vector<std::unique_ptr<contender>>;

contenders make_all(const entry& entry, const std::vector<std::string>& names, c10::Device device) {
  contenders all;
  for (const std::string& name : names) {
    all.push_back(std::make_unique<contender>(entry, name, device));
  }
  return all;
}

using figure = void (contender::*)();

std::vector<figure> figures_of(c10::Device device) {
  std::vector<figure> figures{&contender::time_host, &contender::time_wall};
  if (device.is_cuda()) {
    figures.push_back(&contender::time_gpu);
  }
  return figures;
}

void time_rounds(const contenders& all, const std::vector<figure>& figures, double seconds) {
  std::vector<contender*> order;
  for (const auto& each : all) {
    order.push_back(each.get());
  }
  std::mt19937 dice(std::random_device{}());
  const double enough = 1e6 * seconds * static_cast<double>(figures.size() * all.size());
  const auto start = clock::now();
  for (int round = 0; round < fewest_rounds || microseconds_since(start) < enough; ++round) {
    for (const figure time_figure : figures) {
      std::shuffle(order.begin(), order.end(), dice);
      for (contender* const each : order) {
        (each->*time_figure)();
      }
    }
  }
}

}  // namespace

beginning measure_alone(const entry& entry, const std::string& name, c10::Device device) {
  const c10::AutoGradMode with_grad(entry.kind != unit::inference);
  load_libraries(entry, device);
  beginning found{};
  const memory_watch watch(device);
  const workload workload = make_workload(entry, name, device);
  synchronize(device);
  const auto start = clock::now();
  const auto peer = make_ready(name, entry.kind, workload);
  synchronize(device);
  found.ready = microseconds_since(start);
  if (const double capture = workload.statistics().capture_microseconds; capture > 0) {
    found.capture = capture;
  }
  for (int i = 0; device.is_cuda() && i < units_until_peaks; ++i) {
    peer->run();
  }
  synchronize(device);
  found.peaks = watch.peaks();
  return found;
}

std::vector<timings> time_together(const entry& entry, const std::vector<std::string>& peers, c10::Device device, double seconds) {
  const c10::AutoGradMode with_grad(entry.kind != unit::inference);
  give_back_memory(device);
  const contenders all = make_all(entry, peers, device);
  time_rounds(all, figures_of(device), seconds);
  synchronize(device);
  std::vector<timings> times;
  for (const auto& each : all) {
    times.push_back(each->times());
  }
  return times;
}

}  // namespace benchmarks
