// SPDX-License-Identifier: Apache-2.0
#include "spins.h"

#include <graphed/impl/stream_hook.h>

#ifdef GRAPHED_WITH_CUDA
#include <ATen/cuda/Sleep.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#endif

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <thread>

namespace graphed::testing {
namespace {

struct wanted_spins {
  std::optional<uint64_t> seed, captured_seed;
};

std::optional<uint64_t> seed_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? std::nullopt : std::optional<uint64_t>(std::stoull(text));
}

const wanted_spins& wanted() {
  static const wanted_spins found{seed_in("GRAPHED_TEST_SPINS"), seed_in("GRAPHED_TEST_CAPTURED_SPINS")};
  return found;
}

// Of the calling thread, each with a sequence of its own. Zero: none this time.
int64_t next_microseconds(uint64_t seed) {
  static std::atomic<uint64_t> threads{0};
  static thread_local std::mt19937_64 engine(seed + (threads++ << 32U));
  constexpr uint64_t one_in = 4, least = 10, most = 300;
  return engine() % one_in == 0 ? static_cast<int64_t>(least + engine() % (most - least + 1)) : 0;
}

#ifdef GRAPHED_WITH_CUDA

enum class state : uint8_t { free, captured, unusable };

// Leaves no error behind. One that is there is the caller's.
state state_of(cudaStream_t stream) {
  if (cudaPeekAtLastError() != cudaSuccess) {
    return state::unusable;
  }
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t error = cudaStreamIsCapturing(stream, &status);
  if (error != cudaSuccess) {  // also of the legacy stream, whose use would break a capture of another one
    static_cast<void>(cudaGetLastError());
    return state::unusable;
  }
  return status == cudaStreamCaptureStatusNone ? state::free : status == cudaStreamCaptureStatusActive ? state::captured : state::unusable;
}

void spin(const c10::Stream& stream) {
  constexpr int64_t cycles_of_a_microsecond = 2000;
  static std::atomic<bool> is_loaded{false};  // the kernel: not for the first time in a capture
  const c10::cuda::CUDAStream on(stream);
  const state found = state_of(on.stream());
  const auto& seed = found == state::captured ? wanted().captured_seed : wanted().seed;
  if (found == state::unusable || (found == state::captured && !is_loaded)) {
    return;
  }
  if (const int64_t microseconds = next_microseconds(seed.value_or(0)); seed && microseconds != 0) {
    const c10::cuda::CUDAStreamGuard current(on);
    at::cuda::sleep(microseconds * cycles_of_a_microsecond);
    is_loaded = true;
  }
}

#endif

void delay(const c10::Stream& stream, impl::StreamUse /*use*/) {
#ifdef GRAPHED_WITH_CUDA
  if (stream.device_type() == c10::DeviceType::CUDA) {
    try {
      spin(stream);
    } catch (const std::exception&) {  // of a device that cannot be used: its next user reports it
    }
    return;
  }
#endif
  if (const auto seed = wanted().seed; seed && stream.device_type() == c10::DeviceType::CPU) {
    std::this_thread::sleep_for(std::chrono::microseconds(next_microseconds(*seed)));
  }
}

}  // namespace

bool spin_where_asked() {
  const bool asked = wanted().seed || wanted().captured_seed;
  if (asked) {
    impl::set_stream_hook(delay);
  }
  return asked;
}

}  // namespace graphed::testing
