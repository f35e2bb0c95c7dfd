// SPDX-License-Identifier: Apache-2.0
#include "timing.h"

#if defined(BENCHMARKS_WITH_CUDA)
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/Sleep.h>
#include <c10/cuda/CUDAFunctions.h>
#endif

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace benchmarks {
namespace {

constexpr int in_flight = 10;  // calls, so that the device's queue never fills

// Microseconds.
constexpr double turn = 2500;
constexpr double warming = 300;
constexpr double longest_on_device = 10'000;

double median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

}  // namespace

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

timer::timer(peer& peer, c10::Device device) : peer_(peer), device_(device), wall_(wall_of(in_flight)) {}

void timer::run(int calls) {
  for (int i = 0; i < calls; ++i) {
    peer_.run();
  }
}

int timer::calls_within(double microseconds, int most) const {
  return static_cast<int>(std::clamp(microseconds / wall_, 1.0, static_cast<double>(most)));
}

void timer::warm_up() { run(calls_within(warming, in_flight)); }

double timer::host_of(int calls) {
  synchronize(device_);
  const auto start = clock::now();
  run(calls);
  return microseconds_since(start) / calls;
}

double timer::wall_of(int calls) {
  synchronize(device_);
  const auto start = clock::now();
  run(calls);
  synchronize(device_);
  return microseconds_since(start) / calls;
}

double timer::host() {
  const int calls = device_.is_cuda() ? in_flight : calls_within(turn, in_flight);
  warm_up();
  std::vector<double> samples;
  const auto begin = clock::now();
  do {
    samples.push_back(host_of(calls));
  } while (microseconds_since(begin) < turn);
  return host_ = median(std::move(samples));
}

double timer::wall() {
  warm_up();
  return wall_ = wall_of(calls_within(turn, std::numeric_limits<int>::max()));
}

#if defined(BENCHMARKS_WITH_CUDA)

namespace {

/// Microseconds a call of the device, which a kernel that waits holds back for `delay` while they are enqueued.
template <class Run>
double device_time(const Run& run, int calls, double delay) {
  constexpr double cycles_a_microsecond = 2000;
  at::cuda::CUDAEvent begin(cudaEventDefault), end(cudaEventDefault);
  at::cuda::sleep(static_cast<int64_t>(delay * cycles_a_microsecond));
  begin.record();
  run(calls);
  end.record();
  end.synchronize();
  return 1e3 * begin.elapsed_time(end) / calls;
}

}  // namespace

/// The calls must be few enough operators for the device's queue, of about a thousand: an operator takes the host 2 microseconds at the
/// least.
double timer::gpu() {
  constexpr double enqueued = 1500;
  warm_up();
  const int calls = std::min(calls_within(longest_on_device, in_flight), std::max(static_cast<int>(enqueued / host_), 1));
  synchronize(device_);
  return device_time([this](int count) { run(count); }, calls, 2 * host_ * calls + 200);
}

#else

double timer::gpu() { throw std::logic_error("benchmarks: a CPU has no GPU time"); }

#endif

}  // namespace benchmarks
