// SPDX-License-Identifier: Apache-2.0
#include "timing.h"

#include <ATen/core/grad_mode.h>

#if defined(BENCHMARKS_WITH_CUDA)
#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/Sleep.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#endif

#include <algorithm>
#include <chrono>
#include <set>
#include <vector>

namespace benchmarks {
namespace {

using clock = std::chrono::steady_clock;

constexpr int in_flight = 10;  // calls, so that the device's queue never fills

void synchronize(c10::Device device) {
#if defined(BENCHMARKS_WITH_CUDA)
  if (device.is_cuda()) {
    c10::cuda::device_synchronize();
  }
#else
  static_cast<void>(device);
#endif
}

double microseconds_since(clock::time_point start) { return std::chrono::duration<double, std::micro>(clock::now() - start).count(); }

double median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

double host_time(peer& peer, c10::Device device, double seconds) {
  std::vector<double> samples;
  const auto begin = clock::now();
  do {
    synchronize(device);
    const auto start = clock::now();
    for (int i = 0; i < in_flight; ++i) {
      peer.run();
    }
    samples.push_back(microseconds_since(start) / in_flight);
  } while (microseconds_since(begin) < seconds * 1e6);
  return median(std::move(samples));
}

double wall_time(peer& peer, c10::Device device, double seconds) {
  const auto time_of = [&](int calls) {
    synchronize(device);
    const auto start = clock::now();
    for (int i = 0; i < calls; ++i) {
      peer.run();
    }
    synchronize(device);
    return microseconds_since(start) / calls;
  };
  const double estimate = time_of(in_flight);
  return time_of(std::max(in_flight, static_cast<int>(seconds * 1e6 / estimate)));
}

#if defined(BENCHMARKS_WITH_CUDA)

/// A kernel that waits holds the device back until all calls are enqueued. It must be few enough operators for the device's queue, of about
/// a thousand: an operator takes the host 2 microseconds at the least.
double device_time(peer& peer, c10::Device device, double host) {
  constexpr double cycles_a_microsecond = 2000;
  constexpr int repetitions = 7;
  const int calls = std::clamp(static_cast<int>(1500 / host), 1, in_flight);
  std::vector<double> samples;
  for (int i = 0; i < repetitions; ++i) {
    synchronize(device);
    at::cuda::CUDAEvent begin(cudaEventDefault), end(cudaEventDefault);
    at::cuda::sleep(static_cast<int64_t>((2 * host * calls + 200) * cycles_a_microsecond));
    begin.record();
    for (int call = 0; call < calls; ++call) {
      peer.run();
    }
    end.record();
    end.synchronize();
    samples.push_back(1e3 * begin.elapsed_time(end) / calls);
  }
  return median(std::move(samples));
}

#endif

timings time_calls(peer& peer, c10::Device device, double seconds) {
  timings time{};
  time.host = host_time(peer, device, seconds);
  time.wall = wall_time(peer, device, seconds);
#if defined(BENCHMARKS_WITH_CUDA)
  if (device.is_cuda()) {
    time.gpu = device_time(peer, device, time.host);
  }
#endif
  return time;
}

/// Of the caching allocator, in bytes.
struct memory {
  int64_t allocated, reserved;
};

#if defined(BENCHMARKS_WITH_CUDA)

memory memory_of(c10::Device device, int64_t (*which)(const c10::CachingAllocator::Stat&)) {
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(device.index());
  return {which(stats.allocated_bytes[0]), which(stats.reserved_bytes[0])};
}

#endif

/// Gives back what nothing uses, and begins to watch for peaks. Returns what remains; nothing on a CPU.
std::optional<memory> begin_watching_memory(c10::Device device) {
#if defined(BENCHMARKS_WITH_CUDA)
  if (device.is_cuda()) {
    synchronize(device);
    at::cuda::clearCublasWorkspaces();
    c10::cuda::CUDACachingAllocator::emptyCache();
    c10::cuda::CUDACachingAllocator::resetPeakStats(device.index());
    return memory_of(device, [](const auto& stat) { return stat.current; });
  }
#else
  static_cast<void>(device);
#endif
  return std::nullopt;
}

/// The peaks since.
std::optional<memory> peak_memory(c10::Device device) {
#if defined(BENCHMARKS_WITH_CUDA)
  if (device.is_cuda()) {
    return memory_of(device, [](const auto& stat) { return stat.peak; });
  }
#else
  static_cast<void>(device);
#endif
  return std::nullopt;
}

/// Loads the kernels and libraries that a workload needs.
void load_libraries(const entry& entry, c10::Device device) {
  static std::set<std::string> loaded;
  if (!loaded.insert(entry.name).second) {
    return;
  }
  const workload workload = entry.make(device, optimizers::graphed);
  make_peer("plain", entry.kind, workload)->prepare();
}

}  // namespace

measurement measure(const entry& entry, const std::string& name, c10::Device device, double seconds) {
  const c10::AutoGradMode with_grad(entry.kind != unit::inference);
  load_libraries(entry, device);
  measurement found{};
  const auto before = begin_watching_memory(device);
  const workload workload = entry.make(device, optimizers_of(name));
  synchronize(device);
  const auto start = clock::now();
  const auto peer = make_peer(name, entry.kind, workload);
  peer->prepare();
  synchronize(device);
  found.ready = microseconds_since(start);
  if (const double capture = workload.statistics().capture_microseconds; capture > 0) {
    found.capture = capture;
  }
  found.time = time_calls(*peer, device, seconds);
  if (const auto peak = peak_memory(device)) {
    found.allocated = peak->allocated - before->allocated;
    found.reserved = peak->reserved - before->reserved;
  }
  return found;
}

}  // namespace benchmarks
